//===- Files, read whole and written whole --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/File.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace tonno;
namespace fs = std::filesystem;

static Error systemError(const std::string &doing, const fs::path &path) {
  return {doing + " '" + path.string() + "': " + std::strerror(errno)};
}

static Error makeTooLargeError(const fs::path &path, uint64_t mostBytes) {
  return {"cannot read '" + path.string() + "': the file is larger than " +
          std::to_string(mostBytes >> 20) + " MiB"};
}

/// Reads to the end; fails if there are more than `mostBytes`.
static Result<std::string> readUntilEnd(int descriptor, const fs::path &path,
                                        uint64_t mostBytes) {
  std::string bytes;
  char chunk[65536];
  ssize_t n;
  while ((n = ::read(descriptor, chunk, sizeof chunk)) != 0) {
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return systemError("cannot read", path);
    bytes.append(chunk, static_cast<size_t>(n));
    if (bytes.size() > mostBytes)
      return makeTooLargeError(path, mostBytes);
  }
  return bytes;
}

namespace {
enum class ReadableKinds { regular, regular_or_pipe };
} // namespace

static Result<std::optional<std::string>>
readIfAny(const fs::path &path, uint64_t mostBytes, ReadableKinds kinds) {
  struct stat about = {};
  bool isPipe = kinds == ReadableKinds::regular_or_pipe &&
                ::stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode);
  // Avoids blocking on a pipe, and acquiring a controlling terminal.
  int mode = isPipe ? 0 : O_NONBLOCK;
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | mode);
  if (descriptor < 0 && errno == ENOENT)
    return std::optional<std::string>();
  if (descriptor < 0)
    return systemError("cannot read", path);
  bool isKnown = ::fstat(descriptor, &about) == 0;
  if (isKnown && S_ISDIR(about.st_mode))
    errno = EISDIR;
  if (!isKnown || S_ISDIR(about.st_mode)) {
    Error failure = systemError("cannot read", path);
    ::close(descriptor);
    return failure;
  }
  if (!S_ISREG(about.st_mode) && !(isPipe && S_ISFIFO(about.st_mode))) {
    ::close(descriptor);
    return Error{"cannot read '" + path.string() + "': not a regular file"};
  }
  bool isKnownTooLarge = std::cmp_greater(about.st_size, mostBytes);
  auto bytes = isKnownTooLarge
                   ? Result<std::string>(makeTooLargeError(path, mostBytes))
                   : readUntilEnd(descriptor, path, mostBytes);
  ::close(descriptor);
  if (!bytes)
    return bytes.error();
  return std::optional(std::move(*bytes));
}

static Result<std::string>
readExisting(const fs::path &path, uint64_t mostBytes, ReadableKinds kinds) {
  auto bytes = TONNO_TRY(readIfAny(path, mostBytes, kinds));
  if (!bytes) {
    errno = ENOENT;
    return systemError("cannot read", path);
  }
  return *std::move(bytes);
}

Result<std::string> tonno::readFile(const fs::path &path, uint64_t mostBytes) {
  return readExisting(path, mostBytes, ReadableKinds::regular);
}

Result<std::optional<std::string>> tonno::readFileIfAny(const fs::path &path,
                                                        uint64_t mostBytes) {
  return readIfAny(path, mostBytes, ReadableKinds::regular);
}

Result<std::string> tonno::readNamedFile(const fs::path &path,
                                         uint64_t mostBytes) {
  return readExisting(path, mostBytes, ReadableKinds::regular_or_pipe);
}

Result<std::string> tonno::readStandardInput(uint64_t mostBytes) {
  return readUntilEnd(STDIN_FILENO, "-", mostBytes);
}

namespace {
/// Keeps SIGXFSZ from ending the process where a write meets the limit of a
/// file's size: it then fails with EFBIG. In the programs of others, too, which
/// don't ignore the signal.
class SizeSignalBlock {
public:
  SizeSignalBlock() {
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signals, &before);
  }
  SizeSignalBlock(const SizeSignalBlock &) = delete;
  SizeSignalBlock &operator=(const SizeSignalBlock &) = delete;
  ~SizeSignalBlock() {
    int reason = errno;
    // The system sends it to the thread that writes.
    timespec atOnce = {};
    if (reason == EFBIG && sigismember(&before, SIGXFSZ) == 0)
      (void)::sigtimedwait(&signals, nullptr, &atOnce);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = reason;
  }

private:
  sigset_t signals, before;
};
} // namespace

bool tonno::writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == ENOTSOCK) {
      SizeSignalBlock block;
      n = ::write(descriptor, bytes.data(), bytes.size());
    }
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

AtomicFile::AtomicFile(int descriptor, fs::path temporary, fs::path target)
    : descriptor(descriptor), temporary(std::move(temporary)),
      target(std::move(target)) {}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)),
      temporary(std::move(other.temporary)), target(std::move(other.target)) {}

AtomicFile::~AtomicFile() {
  if (descriptor < 0)
    return;
  ::close(descriptor);
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

/// Follows symbolic links from `path` to a file that need not exist.
static fs::path followLinks(fs::path path) {
  constexpr int mostLinks = 40; // as the system has it
  for (int i = 0; i < mostLinks; ++i) {
    std::error_code noLink;
    fs::path next = fs::read_symlink(path, noLink);
    if (noLink)
      break;
    path = path.parent_path() / next; // which may be absolute
  }
  return path;
}

/// Separates the name of a file from the number of its temporary.
static constexpr std::string_view temporaryMark = ".tmp.";

/// Returns the end of a file's name, which names its temporary: of a longer
/// name, the file system might refuse a temporary's.
static std::string_view endOfName(std::string_view name) {
  constexpr size_t most = 100;
  if (name.size() <= most)
    return name;
  name.remove_prefix(name.size() - most);
  // Some file systems refuse invalid UTF-8.
  auto isContinuation = [](char c) { return (c & 0xC0) == 0x80; };
  while (!name.empty() && isContinuation(name.front()))
    name.remove_prefix(1);
  return name;
}

/// Locks a new temporary for as long as it is open. False if removeAbandoned
/// took it for abandoned in between.
static bool lockTemporary(int descriptor) {
  struct stat about = {};
  bool isHeldByOther =
      ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return !isHeldByOther && ::fstat(descriptor, &about) == 0 &&
         about.st_nlink > 0;
}

Result<AtomicFile> AtomicFile::create(const fs::path &path,
                                      const fs::path &aside) {
  struct stat about = {};
  bool exists = ::stat(path.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode))
    errno = EISDIR;
  if (exists ? S_ISDIR(about.st_mode) : path.empty() || errno != ENOENT)
    return systemError("cannot write", path);
  if (exists && !S_ISREG(about.st_mode) && !aside.empty())
    return Error{"cannot write '" + path.string() + "': not a regular file"};
  if (exists && !S_ISREG(about.st_mode)) {
    int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
      return systemError("cannot write", path);
    return AtomicFile(descriptor, {}, path);
  }
  fs::path target = followLinks(path);
  const fs::path folder = aside.empty() ? target.parent_path() : aside;
  const std::string name = target.filename();
  std::random_device random;
  while (true) {
    fs::path temporary =
        folder / (std::string(endOfName(name)) + std::string(temporaryMark) +
                  std::to_string(random()));
    // The umask applies, as to any new file.
    int descriptor = ::open(temporary.c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 && lockTemporary(descriptor))
      return AtomicFile(descriptor, temporary, target);
    if (descriptor >= 0)
      ::close(descriptor); // and its file is removed by who took it
    else if (errno != EEXIST && errno != EINTR)
      return systemError("cannot write", path);
  }
}

Result<void> AtomicFile::write(std::string_view bytes) {
  if (!writeAll(descriptor, bytes))
    return systemError("cannot write", target);
  return {};
}

Result<void> AtomicFile::commit() {
  if (!temporary.empty() && (::fsync(descriptor) != 0 ||
                             ::rename(temporary.c_str(), target.c_str()) != 0))
    return systemError("cannot write", target);
  ::close(std::exchange(descriptor, -1));
  return {};
}

Result<void> tonno::writeFileAtomically(const fs::path &path,
                                        std::string_view bytes,
                                        const fs::path &aside) {
  auto file = TONNO_TRY(AtomicFile::create(path, aside));
  if (auto written = file.write(bytes); !written)
    return written;
  return file.commit();
}

Descriptor tonno::lockDirectory(const fs::path &directory) {
  Descriptor descriptor(
      ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (descriptor.get() >= 0 && ::flock(descriptor.get(), LOCK_EX) != 0 &&
         errno == EINTR)
    ;
  return descriptor;
}

void tonno::removeAbandoned(const fs::path &directory,
                            std::string_view ending) {
  std::error_code failure; // ends the loop
  for (fs::directory_iterator at(directory, failure), end;
       !failure && at != end; at.increment(failure)) {
    std::string name = at->path().filename();
    size_t mark = name.rfind(temporaryMark);
    if (mark == std::string::npos ||
        !std::string_view(name).substr(0, mark).ends_with(endOfName(ending)) ||
        name.find_first_not_of("0123456789", mark + temporaryMark.size()) !=
            std::string::npos)
      continue;
    int descriptor = ::open(at->path().c_str(),
                            O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
      continue;
    // If it was renamed meanwhile, nothing has this name any more.
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      ::unlink(at->path().c_str());
    ::close(descriptor);
  }
}

void tonno::openStandardDescriptors() {
  // Opened the wrong way round, the first two fail as if closed.
  for (auto [descriptor, way] :
       {std::pair(STDIN_FILENO, O_WRONLY), std::pair(STDOUT_FILENO, O_RDONLY),
        std::pair(STDERR_FILENO, O_RDWR)})
    if (::fcntl(descriptor, F_GETFD) < 0)
      (void)::open("/dev/null", way); // gets the lowest number: this one
}
