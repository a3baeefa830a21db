//===- Lines of a terminal that are rewritten -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/LiveRegion.h"

#include "tonno/Core/PrintableText.h"
#include "tonno/Engine/Budget.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace tonno;

TerminalSize tonno::getTerminalSize(int descriptor) {
  winsize size = {};
  TerminalSize known;
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0)
    return known;
  if (size.ws_col > 0)
    known.columns = size.ws_col;
  if (size.ws_row > 0)
    known.rows = size.ws_row;
  return known;
}

static bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value != '\0';
}

bool tonno::isRewritable(int descriptor) {
  return ::isatty(descriptor) && isSet("TERM") &&
         std::string_view(std::getenv("TERM")) != "dumb" && !isSet("CI");
}

std::shared_ptr<LiveRegion> LiveRegion::open(std::ostream &stream,
                                             int descriptor) {
  constexpr double refreshSeconds = 0.25;
  return std::make_shared<LiveRegion>(
      stream, Options{[descriptor] { return getTerminalSize(descriptor); },
                      !isSet("NO_COLOR"), refreshSeconds});
}

/// Returns the columns of the character that begins with this byte; 0 within a
/// character. Those from U+1100 on may be wide.
static size_t countColumns(const std::string &text, size_t i) {
  auto byte = static_cast<unsigned char>(text[i]);
  if ((byte & 0xc0) == 0x80)
    return 0;
  return byte >= 0xe1 ? 2 : 1;
}

/// Cuts the text to this many columns; returns how many it takes.
static size_t clip(std::string &text, size_t columns) {
  size_t taken = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t next = countColumns(text, i);
    if (taken + next > columns) {
      text.resize(i);
      break;
    }
    taken += next;
  }
  return taken;
}

LiveRegion::LiveRegion(std::ostream &stream, Options given)
    : stream(stream), options(std::move(given)) {
  if (options.refreshSeconds <= 0)
    return;
  // Signals are for the thread that waits in system calls.
  sigset_t all, former;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &former);
  refreshing = std::thread([this] { refreshUntilEnd(); });
  ::pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

LiveRegion::~LiveRegion() {
  show({});
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  ending.notify_all();
  if (refreshing.joinable())
    refreshing.join();
}

void LiveRegion::show(Content next) {
  std::lock_guard lock(mutex);
  content = std::move(next);
  redraw();
}

void LiveRegion::print(const std::string &text) {
  std::lock_guard lock(mutex);
  std::string out;
  erase(out);
  out += text;
  draw(out);
  write(out);
}

void LiveRegion::refreshUntilEnd() {
  std::unique_lock lock(mutex);
  auto pause = std::chrono::duration<double>(options.refreshSeconds);
  while (!ending.wait_for(lock, pause, [this] { return isEnding; }))
    if (content)
      redraw();
}

void LiveRegion::redraw() {
  std::string out;
  erase(out);
  draw(out);
  if (!out.empty())
    write(out);
}

/// Clears the region's rows and moves the cursor to the first of them. In a
/// terminal that became narrower, the lines take more rows now. Rows are
/// cleared one by one: tmux keeps a copy of what is cleared as a whole screen.
void LiveRegion::erase(std::string &out) {
  if (drawn.empty())
    return;
  TerminalSize size = options.size();
  size_t rows = 0;
  for (size_t line : drawn)
    rows += std::max<size_t>(1, (line + size.columns - 1) / size.columns);
  // Rows above the screen cannot be cleared, and rows below it would scroll.
  rows = std::min<size_t>(rows, std::max<size_t>(size.rows, 2) - 1);
  std::string up = "\r\x1b[" + std::to_string(rows) + "A";
  out += up;
  for (size_t i = 0; i < rows; ++i)
    out += "\x1b[2K\n";
  out += up;
  drawn.clear();
}

/// Appends the lines, as many as the terminal has room for. No line reaches the
/// last column, where terminals differ in when they wrap.
void LiveRegion::draw(std::string &out) {
  if (!content)
    return;
  TerminalSize size = options.size();
  std::vector<Line> lines = content(steadySeconds());
  lines.resize(std::min<size_t>(lines.size(), size.rows - 1));
  for (const Line &line : lines) {
    std::string label = toPrintable(line.label), text = toPrintable(line.text);
    std::ranges::replace(text, '\n', ' ');
    size_t room = size.columns - 1;
    size_t taken = clip(label, room);
    taken += clip(text, room - taken);
    drawn.push_back(taken);
    out += options.isColored ? "\x1b[1m" + label + "\x1b[0m" : label;
    out += text + "\n";
  }
}

void LiveRegion::write(const std::string &out) {
  // In one piece, so that the terminal shows no half of it.
  stream << out << std::flush;
}
