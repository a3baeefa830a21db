//===- Conversions of elements by compiled code ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_CONVERSIONS_H
#define TONNO_BACKEND_CONVERSIONS_H

#include "Kernels.h"

#include "tonno/Backend/Compile.h"

#include "TemporaryDirectory.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace tonno {

class ConversionTest : public KernelTest {
protected:
  /// Converts a buffer of elements to another type by compiled code.
  template <typename To, typename From>
  std::vector<To> convert(const std::string &op, const std::string &from,
                          const std::string &to,
                          const std::vector<From> &values) {
    std::string shape = "tensor<" + std::to_string(values.size()) + "x";
    auto module = parse("#id = affine_map<(i) -> (i)>\n"
                        "func.func @f(%x: " +
                        shape + from + ">) -> " + shape + to +
                        "> {\n"
                        "  %e = tensor.empty() : " +
                        shape + to +
                        ">\n"
                        "  %r = linalg.generic {indexing_maps = [#id, #id],"
                        "    iterator_types = [\"parallel\"]}"
                        "    ins(%x : " +
                        shape + from + ">) outs(%e : " + shape + to +
                        ">) {\n"
                        "  ^bb0(%a: " +
                        from + ", %b: " + to +
                        "):\n"
                        "    %c = " +
                        op + " %a : " + from + " to " + to +
                        "\n"
                        "    linalg.yield %c : " +
                        to +
                        "\n"
                        "  } -> " +
                        shape + to +
                        ">\n"
                        "  return %r : " +
                        shape + to + ">\n}");
    auto backend = createBackend({"host", chip});
    auto artifact = compileCandidate(**backend, *module, "f");
    std::vector<To> results(values.size());
    if (failed(artifact)) {
      ADD_FAILURE() << message;
      return results;
    }
    std::string file = directory / "f.so";
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char *>(artifact->binary.data()),
               static_cast<std::streamsize>(artifact->binary.size()));
    void *library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_TRUE(library) << ::dlerror();
    auto entry =
        reinterpret_cast<void (*)(void **)>(::dlsym(library, "f_entry"));
    // Allocates like the host device.
    auto allocate = [](size_t bytes) {
      return std::unique_ptr<void, decltype(&std::free)>(
          std::aligned_alloc(64, (bytes + 63) / 64 * 64), &std::free);
    };
    auto input = allocate(values.size() * sizeof(From));
    auto output = allocate(values.size() * sizeof(To));
    std::memcpy(input.get(), values.data(), values.size() * sizeof(From));
    std::memset(output.get(), 0xFF, values.size() * sizeof(To));
    void *buffers[] = {input.get(), output.get()};
    entry(buffers);
    std::memcpy(results.data(), output.get(), values.size() * sizeof(To));
    ::dlclose(library);
    return results;
  }

  std::string chip = "native";

private:
  TemporaryDirectory directory;
};

} // namespace tonno

#endif // TONNO_BACKEND_CONVERSIONS_H
