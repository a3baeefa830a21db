//===- NVIDIA's assembler as a library ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PtxAssembler.h"

#include "llvm/ADT/STLExtras.h"

#include <dlfcn.h>
#include <filesystem>
#include <optional>
#include <vector>

using namespace tonno;
using Kind = AssemblyFailure::Kind;

namespace {

// Types and constants declared in nvJitLink.h.
using Handle = void *;
using Status = int;
constexpr int inputIsPtx = 2;
/// UNRECOGNIZED_ARCH and UNSUPPORTED_ARCH.
constexpr Status noSuchChip[] = {16, 17};

/// The functions of the library.
struct Functions {
  Status (*create)(Handle *, uint32_t, const char **) = nullptr;
  Status (*destroy)(Handle *) = nullptr;
  Status (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  Status (*complete)(Handle) = nullptr;
  Status (*cubinSize)(Handle, size_t *) = nullptr;
  Status (*cubin)(Handle, void *) = nullptr;
  Status (*errorLogSize)(Handle, size_t *) = nullptr;
  Status (*errorLog)(Handle, char *) = nullptr;
  Status (*infoLogSize)(Handle, size_t *) = nullptr;
  Status (*infoLog)(Handle, char *) = nullptr;
  CudaVersion version;
};

/// Looks functions up under their plain names, else under those with a version
/// behind, as in __nvJitLinkCreate_12_2, which is all that some releases have.
class Lookup {
public:
  explicit Lookup(void *library) : library(library) {
    if (::dlsym(library, "nvJitLinkCreate"))
      return;
    for (uint32_t major = 12; major <= 15 && suffix.empty(); ++major)
      for (uint32_t minor = 0; minor <= 9 && suffix.empty(); ++minor)
        trySuffix({major, minor});
  }

  template <typename F> bool operator()(const char *name, F &function) const {
    std::string symbol = name + suffix;
    function = reinterpret_cast<F>(
        ::dlsym(library, (suffix.empty() ? symbol : "__" + symbol).c_str()));
    return function != nullptr;
  }

  CudaVersion version() const {
    Status (*ask)(unsigned *, unsigned *) = nullptr;
    CudaVersion version = named;
    if (Lookup::operator()("nvJitLinkVersion", ask))
      ask(&version.major, &version.minor);
    return version;
  }

private:
  void trySuffix(CudaVersion version) {
    std::string text = "_" + std::to_string(version.major) + "_" +
                       std::to_string(version.minor);
    if (!::dlsym(library, ("__nvJitLinkCreate" + text).c_str()))
      return;
    suffix = text;
    named = version;
  }

  void *library;
  std::string suffix;
  CudaVersion named = {12, 0}; ///< the first release of the library
};

/// A link: its handle and its log.
class Link {
public:
  explicit Link(const Functions &functions) : functions(functions) {}
  ~Link() {
    if (handle)
      functions.destroy(&handle);
  }
  Link(const Link &) = delete;
  Link &operator=(const Link &) = delete;

  Status create(const std::string &chip) {
    std::string arch = "-arch=" + chip;
    const char *options[] = {arch.c_str(), "-O3", "-verbose"};
    return functions.create(&handle, std::size(options), options);
  }

  Status run(llvm::StringRef ptx) {
    // The terminating zero counts: without it, it reads on at times.
    std::string text = ptx.str();
    Status status = functions.addData(handle, inputIsPtx, text.c_str(),
                                      text.size() + 1, "kernel.ptx");
    return status != 0 ? status : functions.complete(handle);
  }

  std::optional<std::string> cubin() {
    size_t size = 0;
    if (functions.cubinSize(handle, &size) != 0 || size == 0)
      return std::nullopt;
    std::string bytes(size, '\0');
    if (functions.cubin(handle, bytes.data()) != 0)
      return std::nullopt;
    return bytes;
  }

  std::string errors() {
    return log(functions.errorLogSize, functions.errorLog);
  }
  std::string infos() { return log(functions.infoLogSize, functions.infoLog); }

private:
  std::string log(Status (*getSize)(Handle, size_t *),
                  Status (*get)(Handle, char *)) {
    size_t size = 0;
    if (!handle || getSize(handle, &size) != 0 || size == 0)
      return "";
    std::string text(size, '\0');
    if (get(handle, text.data()) != 0)
      return "";
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
  }

  const Functions &functions;
  Handle handle = nullptr;
};

class NvJitLink : public PtxAssembler {
public:
  NvJitLink(const Functions &functions, uint64_t bytes)
      : functions(functions), bytes(bytes) {}

  CudaVersion version() const override { return functions.version; }
  std::string description() const override {
    return "nvJitLink " + version().toString() + " of " +
           std::to_string(bytes) + " bytes";
  }
  Result<Assembly, AssemblyFailure>
  assemble(llvm::StringRef ptx, const GpuChip &chip) const override;

private:
  Functions functions;
  uint64_t bytes; ///< of the library: builds of one release differ
};

Result<Assembly, AssemblyFailure>
NvJitLink::assemble(llvm::StringRef ptx, const GpuChip &chip) const {
  TONNO_TRY(checkSupport(chip));
  Link link(functions);
  if (Status status = link.create(std::string(chip.name)); status != 0)
    return AssemblyFailure{Kind::unsupported,
                           llvm::is_contained(noSuchChip, status)
                               ? "nvJitLink " + version().toString() +
                                     " does not know " + std::string(chip.name)
                               : "nvJitLink cannot start: error " +
                                     std::to_string(status)};
  if (Status status = link.run(ptx); status != 0)
    return AssemblyFailure{
        Kind::refused,
        assemblerErrors(link.errors(),
                        "nvJitLink: error " + std::to_string(status))};
  std::optional<std::string> cubin = link.cubin();
  if (!cubin)
    return AssemblyFailure{Kind::refused, "nvJitLink made no machine code"};
  return Assembly{std::move(*cubin), link.infos()};
}

} // namespace

static std::optional<Functions> lookup(void *library) {
  Functions functions;
  Lookup find(library);
  bool all = find("nvJitLinkCreate", functions.create) &&
             find("nvJitLinkDestroy", functions.destroy) &&
             find("nvJitLinkAddData", functions.addData) &&
             find("nvJitLinkComplete", functions.complete) &&
             find("nvJitLinkGetLinkedCubinSize", functions.cubinSize) &&
             find("nvJitLinkGetLinkedCubin", functions.cubin) &&
             find("nvJitLinkGetErrorLogSize", functions.errorLogSize) &&
             find("nvJitLinkGetErrorLog", functions.errorLog) &&
             find("nvJitLinkGetInfoLogSize", functions.infoLogSize) &&
             find("nvJitLinkGetInfoLog", functions.infoLog);
  if (!all)
    return std::nullopt;
  functions.version = find.version();
  return functions;
}

/// Returns the size of the library file that contains a function.
static uint64_t bytesOfLibrary(void *function) {
  Dl_info info;
  if (::dladdr(function, &info) == 0 || !info.dli_fname)
    return 0;
  std::error_code error;
  uint64_t size = std::filesystem::file_size(info.dli_fname, error);
  return error ? 0 : size;
}

std::unique_ptr<PtxAssembler> tonno::loadNvJitLink(const CudaSearch &search) {
  for (const std::string &path : nvJitLinkLibraries(search)) {
    void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      continue;
    if (std::optional<Functions> functions = lookup(library))
      return std::make_unique<NvJitLink>(
          *functions,
          bytesOfLibrary(reinterpret_cast<void *>(functions->create)));
    ::dlclose(library);
  }
  return nullptr;
}
