//===- Lines of a terminal that are rewritten -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_LIVEREGION_H
#define TONNO_SESSION_LIVEREGION_H

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

namespace tonno {

struct TerminalSize {
  unsigned columns = 80, rows = 24;

  bool operator==(const TerminalSize &) const = default;
};

/// Returns the size of the terminal behind a descriptor; 80 x 24 if it is
/// unknown.
TerminalSize getTerminalSize(int descriptor);

/// Returns true if the descriptor is a terminal that somebody watches, and that
/// can move its cursor: TERM is neither unset nor "dumb". Some CI services give
/// their jobs a terminal and keep the bytes as a log; they set CI.
bool isRewritable(int descriptor);

/// The last lines of a terminal, which are rewritten in place several times a
/// second. Text that stays is printed above them. All methods may be called
/// from any thread.
class LiveRegion {
public:
  struct Line {
    std::string label; ///< bold if colours are used
    std::string text;
  };
  /// Returns the lines at this second of `steadySeconds`.
  using Content = std::function<std::vector<Line>(double now)>;

  struct Options {
    std::function<TerminalSize()> size = [] { return TerminalSize(); };
    bool isColored = false;
    /// 0: the lines are rewritten only when they or the text above change.
    double refreshSeconds = 0;
  };

  /// Creates the region of the terminal behind a descriptor, to which the
  /// stream writes. It has no colours if NO_COLOR is set.
  static std::shared_ptr<LiveRegion> open(std::ostream &stream, int descriptor);
  LiveRegion(std::ostream &stream, Options options);
  ~LiveRegion();

  /// Replaces what the region shows; nothing removes the region.
  void show(Content content);
  /// Prints text, which ends with a newline, above the region.
  void print(const std::string &text);

private:
  void erase(std::string &out);
  void draw(std::string &out);
  void redraw();
  void write(const std::string &out);
  void refreshUntilEnd();

  std::ostream &stream;
  const Options options;
  std::mutex mutex;
  Content content;
  std::vector<size_t> drawn; ///< columns of each line on the screen
  bool isEnding = false;
  std::condition_variable ending;
  std::thread refreshing;
};

} // namespace tonno

#endif // TONNO_SESSION_LIVEREGION_H
