//===- Stands in for nvJitLink --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fake of release 12.2, whose exported names end with the version. Its
// behaviour is encoded in the PTX, and its machine code is the PTX itself.

#include <cstdint>
#include <cstring>
#include <string>

namespace {

struct FakeLink {
  std::string arch;
  std::string ptx;
  std::string errors;
  std::string infos;
};

} // namespace

/// Links that are not destroyed yet.
extern "C" int fakeNvJitLinkLive = 0;

static bool asks(const FakeLink &link, const char *what) {
  return link.ptx.find(what) != std::string::npos;
}

static int copy(const std::string &text, char *to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return 0;
}

// NOLINTBEGIN(readability-identifier-naming): NVIDIA's names.

extern "C" int __nvJitLinkCreate_12_2(FakeLink **link, uint32_t count,
                                      const char **options) {
  *link = nullptr;
  std::string arch = count > 0 ? options[0] : "";
  if (arch == "-arch=sm_86")
    return 16; // as if it had no such chip
  if (arch == "-arch=sm_89")
    return 6;
  *link = new FakeLink{arch, "", "", ""};
  ++fakeNvJitLinkLive;
  return 0;
}

extern "C" int __nvJitLinkDestroy_12_2(FakeLink **link) {
  delete *link;
  *link = nullptr;
  --fakeNvJitLinkLive;
  return 0;
}

extern "C" int __nvJitLinkAddData_12_2(FakeLink *link, int type,
                                       const void *data, size_t size,
                                       const char *) {
  const char *text = static_cast<const char *>(data);
  if (type != 2 || size == 0 || text[size - 1] != '\0') {
    link->errors = "error: no PTX with a zero at its end";
    return 3;
  }
  link->ptx.assign(text, size - 1);
  if (asks(*link, "REFUSE")) {
    link->errors = "ptxas kernel.ptx, line 3; error   : REFUSE is no opcode\n"
                   "ptxas info    : nothing of interest\n"
                   "ptxas fatal   : Ptx assembly aborted due to errors\n";
    return 4;
  }
  return 0;
}

extern "C" int __nvJitLinkComplete_12_2(FakeLink *link) {
  if (asks(*link, "SILENT"))
    return 6;
  if (asks(*link, "FLOOD")) {
    for (int i = 0; i < 200000; ++i)
      link->errors += "error   : line " + std::to_string(i) + " of a flood\n";
    return 6;
  }
  link->infos =
      "ptxas info    : Function properties for a\n"
      "ptxas         .     8 bytes stack frame, 4 bytes spill stores, "
      "12 bytes spill loads\n";
  return 0;
}

extern "C" int __nvJitLinkGetLinkedCubinSize_12_2(FakeLink *link,
                                                  size_t *size) {
  *size = asks(*link, "NOTHING") ? 0 : link->ptx.size();
  return 0;
}

extern "C" int __nvJitLinkGetLinkedCubin_12_2(FakeLink *link, void *cubin) {
  std::memcpy(cubin, link->ptx.data(), link->ptx.size());
  return 0;
}

extern "C" int __nvJitLinkGetErrorLogSize_12_2(FakeLink *link, size_t *size) {
  *size = link->errors.empty() ? 0 : link->errors.size() + 1;
  return 0;
}

extern "C" int __nvJitLinkGetErrorLog_12_2(FakeLink *link, char *log) {
  return copy(link->errors, log);
}

extern "C" int __nvJitLinkGetInfoLogSize_12_2(FakeLink *link, size_t *size) {
  *size = link->infos.size() + 1;
  return 0;
}

extern "C" int __nvJitLinkGetInfoLog_12_2(FakeLink *link, char *log) {
  return copy(link->infos, log);
}

// NOLINTEND(readability-identifier-naming)
