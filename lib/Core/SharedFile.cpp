//===- Files in directories of several machines ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/SharedFile.h"
#include "tonno/Core/File.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

using namespace tonno;
namespace fs = std::filesystem;

/// Ends the names of temporaries. Not that of AtomicFile's: its locks are how
/// abandoned ones are told, and these have none.
static constexpr std::string_view sharedMark = ".shared-";
static constexpr time_t secondsOfDay = 86400;

FileSystemKind tonno::classifyFileSystem(unsigned long type) {
  switch (type & 0xffffffff) { // which some architectures extend by the sign
  case 0x6969:                 // NFS
  case 0x517B:                 // SMB
  case 0xFF534D42:             // CIFS
  case 0xFE534D42:             // SMB2
  case 0x5346414F:             // AFS
  case 0x6B414653:             // kAFS
  case 0x00C36400:             // Ceph
  case 0x0BD00BD0:             // Lustre
  case 0x47504653:             // GPFS
  case 0x19830326:             // BeeGFS
  case 0x01161970:             // GFS2
  case 0x7461636F:             // OCFS2
  case 0x01021997:             // 9P
  case 0x73757245:             // Coda
    return FileSystemKind::network;
  case 0xEF53:     // ext2, ext3, ext4
  case 0x58465342: // XFS
  case 0x9123683E: // Btrfs
  case 0x01021994: // tmpfs
  case 0x858458F6: // ramfs
  case 0x794C7630: // overlayfs
  case 0x2FC12FC1: // ZFS
  case 0xF2F52010: // F2FS
  case 0xCA451A4E: // bcachefs
  case 0x4D44:     // FAT
  case 0x2011BAB0: // exFAT
  case 0x7366746E: // NTFS
    return FileSystemKind::local;
  default:
    return FileSystemKind::unknown;
  }
}

FileSystemKind tonno::getFileSystemKind(const fs::path &directory) {
  struct statfs about = {};
  if (::statfs(directory.c_str(), &about) != 0)
    return FileSystemKind::unknown;
  return classifyFileSystem(static_cast<unsigned long>(about.f_type));
}

static Error writeError(const fs::path &path) {
  return Error{"cannot write '" + path.string() + "': " + std::strerror(errno)};
}

namespace {

/// A temporary that is removed unless it was renamed.
class SharedTemporary {
public:
  static Result<SharedTemporary> create(const std::string &name,
                                        const fs::path &aside) {
    std::random_device random;
    while (true) {
      fs::path path =
          aside / (name + std::string(sharedMark) + std::to_string(random()) +
                   "-" + std::to_string(random()));
      int descriptor =
          ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0)
        return SharedTemporary(std::move(path), descriptor);
      if (errno != EEXIST && errno != EINTR)
        return writeError(path);
    }
  }
  SharedTemporary(SharedTemporary &&other) noexcept
      : path(std::move(other.path)),
        descriptor(std::exchange(other.descriptor, -1)) {}
  SharedTemporary &operator=(SharedTemporary &&) = delete;
  ~SharedTemporary() {
    if (descriptor < 0)
      return;
    ::close(descriptor);
    ::unlink(path.c_str());
  }

  Result<void> moveTo(const fs::path &target, std::string_view bytes) {
    if (!writeAll(descriptor, bytes) || ::fsync(descriptor) != 0)
      return writeError(target);
    // A rename that was done, but whose answer was lost, is sent again: then
    // there is no temporary any more.
    if (::rename(path.c_str(), target.c_str()) != 0 &&
        !(errno == ENOENT && isAt(target)))
      return writeError(target);
    ::close(std::exchange(descriptor, -1));
    return {};
  }
  time_t seconds() const {
    struct stat about = {};
    return ::fstat(descriptor, &about) == 0 ? about.st_mtim.tv_sec : 0;
  }

private:
  SharedTemporary(fs::path path, int descriptor)
      : path(std::move(path)), descriptor(descriptor) {}

  bool isAt(const fs::path &target) const {
    struct stat own = {}, other = {};
    return ::fstat(descriptor, &own) == 0 &&
           ::stat(target.c_str(), &other) == 0 && own.st_ino == other.st_ino &&
           own.st_dev == other.st_dev;
  }

  fs::path path;
  int descriptor;
};

} // namespace

Result<void> tonno::writeSharedFile(const fs::path &path,
                                    std::string_view bytes,
                                    const fs::path &aside) {
  auto temporary =
      TONNO_TRY(SharedTemporary::create(path.filename().string(), aside));
  return temporary.moveTo(path, bytes);
}

Result<void> tonno::removeOldTemporaries(const fs::path &aside) {
  auto probe = TONNO_TRY(SharedTemporary::create("probe", aside));
  const time_t now = probe.seconds();
  std::error_code failure; // ends the loop
  for (fs::directory_iterator at(aside, failure), end; !failure && at != end;
       at.increment(failure)) {
    struct stat about = {};
    if (at->path().filename().string().find(sharedMark) != std::string::npos &&
        ::lstat(at->path().c_str(), &about) == 0 &&
        about.st_mtim.tv_sec + secondsOfDay < now)
      ::unlink(at->path().c_str());
  }
  return {};
}
