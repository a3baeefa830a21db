//===- Tables, versions and codes of drivers ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/GpuDevice.h"

#include "FakeDrivers.h"

#include <gmock/gmock.h>
#include <set>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class GpuDriverTest : public FakeDriverTest {
protected:
  const GpuDriverTraits &vendor() { return GetParam().vendor(); }

  /// Binds the fake's functions except one.
  Result<GpuFunctions> bindWithout(const std::string &hidden) {
    return bindFunctions(vendor(), [&](const char *name) {
      return name == hidden ? nullptr : ::dlsym(library, name);
    });
  }

  std::string complaint() {
    auto driver = GpuDriver::open(vendor(), options.driver);
    return driver ? "opened" : driver.error().message;
  }
};

} // namespace

TONNO_FOR_BOTH_VENDORS(GpuDriverTest);

TEST_P(GpuDriverTest, EachRequiredFunctionThatIsMissingIsNamed) {
  size_t required = 0;
  for (const GpuFunctionName &function : vendor().functions) {
    auto bound = bindWithout(function.name);
    EXPECT_EQ(bound.ok(), !function.required) << function.name;
    if (!bound)
      EXPECT_THAT(bound.error().message,
                  AllOf(HasSubstr(std::string("'") + function.name + "'"),
                        HasSubstr(vendor().oldestRelease)));
    required += function.required;
  }
  EXPECT_GE(required, 27u);
}

TEST_P(GpuDriverTest, EachFunctionIsBoundToAPlaceOfItsOwn) {
  std::set<std::vector<unsigned char>> tables;
  for (const GpuFunctionName &function : vendor().functions) {
    GpuFunctions functions;
    function.bind(functions, this);
    auto *bytes = reinterpret_cast<unsigned char *>(&functions);
    tables.emplace(bytes, bytes + sizeof functions);
  }
  EXPECT_EQ(tables.size(), vendor().functions.size());
}

TEST_P(GpuDriverTest, EachOptionalFunctionCanBeDoneWithout) {
  for (const GpuFunctionName &function : vendor().functions) {
    if (function.required)
      continue;
    auto functions = bindWithout(function.name);
    ASSERT_TRUE(functions.ok());
    auto driver = GpuDriver::start(vendor(), *functions);
    ASSERT_TRUE(driver.ok()) << function.name;
    EXPECT_TRUE(driver->describe(0).ok()) << function.name;
    EXPECT_THAT(driver->errorText(700), HasSubstr("700")) << function.name;
  }
}

TEST_P(GpuDriverTest, MissingLibraryIsAnErrorWithARemedy) {
  options.driver = "/nowhere/driver.so";
  EXPECT_THAT(complaint(),
              AllOf(HasSubstr("/nowhere/driver.so"), HasSubstr("install"),
                    HasSubstr(vendor().package), HasSubstr("--driver")));
}

TEST_P(GpuDriverTest, OtherLibraryIsAnError) {
  options.driver = fakeLibrary("libfakenvml");
  EXPECT_THAT(complaint(), HasSubstr("has no '"));
}

TEST_P(GpuDriverTest, TooOldADriverIsAnErrorWithBothVersions) {
  ::setenv("FAKE_DRIVER_VERSION",
           std::to_string(vendor().oldestVersion - 1).c_str(), 1);
  EXPECT_THAT(complaint(), AllOf(HasSubstr(vendor().oldestRelease),
                                 HasSubstr("install a newer one")));
  ::setenv("FAKE_DRIVER_VERSION",
           std::to_string(vendor().oldestVersion).c_str(), 1);
  EXPECT_EQ(complaint(), "opened");
}

TEST_P(GpuDriverTest, NoDeviceIsAnErrorThatNamesTheVariables) {
  ::setenv("FAKE_DRIVER_DEVICES", "0", 1);
  EXPECT_THAT(complaint(),
              AllOf(HasSubstr("no "), HasSubstr(vendor().visible)));
  ::unsetenv("FAKE_DRIVER_DEVICES");
  for (const char *function :
       {vendor().functions[0].name, vendor().functions[4].name}) {
    reset();
    fail(std::string(function) + ":100");
    EXPECT_THAT(complaint(), HasSubstr(vendor().visible)) << function;
  }
}

TEST_P(GpuDriverTest, StartingFailsWithTheDriversWordsAndARemedy) {
  struct Row {
    int code;
    const char *remedy;
  };
  for (auto [code, remedy] :
       {Row{34, "stub"}, Row{35, "restart the machine"}, Row{46, "another"},
        Row{802, "fabric manager"}, Row{803, "restart the machine"},
        Row{999, "kernel module"}, Row{304, "FAKE_ERROR_304 (304)"},
        Row{719, "FAKE_ERROR_719 (719)"}}) {
    reset();
    fail(std::string(vendor().functions[0].name) + ":" + std::to_string(code));
    EXPECT_THAT(complaint(), AllOf(HasSubstr("cannot start"), HasSubstr(remedy),
                                   HasSubstr(std::to_string(code))));
  }
}

TEST_P(GpuDriverTest, EachQuestionToTheDriverMayFail) {
  for (const GpuFunctionName &function : vendor().functions) {
    std::string name = function.name;
    bool isAsked = name.find("Device") != std::string::npos ||
                   name.find("Version") != std::string::npos;
    if (!isAsked || !function.required ||
        name.find("Ctx") != std::string::npos || name == "hipSetDevice" ||
        name == "hipGetDevice")
      continue;
    reset();
    fail(name + ":304");
    auto driver = GpuDriver::open(vendor(), options.driver);
    std::string why = !driver ? driver.error().message : "";
    if (driver) {
      auto about = driver->describe(0);
      ASSERT_FALSE(about.ok()) << name;
      why = about.error().message;
    }
    EXPECT_THAT(why, HasSubstr("FAKE_ERROR_304 (304), as it was told to"))
        << name;
  }
}

TEST_P(GpuDriverTest, CodesThatBothVendorsKnowMeanTheSame) {
  for (auto [code, trouble] :
       {std::pair(1, GpuTrouble::request), std::pair(2, GpuTrouble::memory),
        std::pair(100, GpuTrouble::device), std::pair(200, GpuTrouble::binary),
        std::pair(209, GpuTrouble::binary), std::pair(214, GpuTrouble::device),
        std::pair(218, GpuTrouble::binary), std::pair(600, GpuTrouble::request),
        std::pair(700, GpuTrouble::fault),
        std::pair(701, GpuTrouble::resources), std::pair(702, GpuTrouble::hang),
        std::pair(709, GpuTrouble::device), std::pair(710, GpuTrouble::fault),
        std::pair(719, GpuTrouble::fault), std::pair(801, GpuTrouble::request),
        std::pair(900, GpuTrouble::request), std::pair(999, GpuTrouble::device),
        std::pair(99, GpuTrouble::unknown), std::pair(-1, GpuTrouble::unknown)})
    EXPECT_EQ(classifyGpuError(vendor(), code), trouble) << code;
}

TEST_P(GpuDriverTest, RangesOfCodesAreInOrder) {
  int last = 0;
  for (const GpuErrorRange &range : vendor().errors) {
    EXPECT_LT(last, range.first);
    EXPECT_LE(range.first, range.last);
    last = range.last;
  }
}

TEST_P(GpuDriverTest, DescribesEachDevice) {
  ::setenv("FAKE_DRIVER_DEVICES", "2", 1);
  auto driver = GpuDriver::open(vendor(), options.driver);
  ASSERT_TRUE(driver.ok());
  EXPECT_EQ(driver->deviceCount(), 2);
  auto about = driver->describe(1);
  ASSERT_TRUE(about.ok());
  EXPECT_EQ(about->kind, vendor().kind);
  EXPECT_THAT(about->name, HasSubstr(" 1"));
  EXPECT_EQ(about->uuid, "GPU-20010203-0405-0607-0809-0a0b0c0d0e0f");
  EXPECT_EQ(about->chip, GetParam().chip);
  EXPECT_EQ(about->memoryBytes, uint64_t(1) << 30);
  EXPECT_EQ(about->cacheBytes, uint64_t(1) << 20);
  EXPECT_EQ(about->driver,
            vendor().kind == std::string("cuda") ? "CUDA 13.0" : "HIP 7.0");
  EXPECT_FALSE(driver->describe(2).ok());
}

TEST(GpuVendors, InfinityCacheCounts) {
  EXPECT_EQ(hipVendor().cacheBytes("gfx942", 4 << 20), uint64_t(256) << 20);
  EXPECT_EQ(hipVendor().cacheBytes("gfx90a", 8 << 20), uint64_t(8) << 20);
  EXPECT_EQ(cudaVendor().cacheBytes("sm_90", 50 << 20), uint64_t(50) << 20);
}

TEST(GpuVendors, AmdsUniqueIdIsText) {
  GpuUuid uuid;
  std::string digits = "0123456789abcdef";
  std::copy(digits.begin(), digits.end(), uuid.begin());
  EXPECT_EQ(hipVendor().uuidText(uuid), "GPU-0123456789abcdef");
  EXPECT_EQ(cudaVendor().uuidText(uuid),
            "GPU-30313233-3435-3637-3839-616263646566");
}

TEST(GpuVendors, MachineCodeRunsOnLaterMinorVersionsAndPtxOnAllLaterOnes) {
  struct Row {
    const char *device, *chip;
    bool code, text;
  };
  for (auto [device, chip, code, text] :
       {Row{"sm_90", "sm_90", true, true}, Row{"sm_90", "sm_80", false, true},
        Row{"sm_86", "sm_80", true, true}, Row{"sm_80", "sm_86", false, false},
        Row{"sm_90", "sm_90a", true, true},
        Row{"sm_100", "sm_90a", false, false},
        Row{"sm_100", "sm_90", false, true},
        Row{"sm_90", "sm_100", false, false},
        Row{"sm_103", "sm_100", true, true},
        Row{"sm_103", "sm_100f", true, true},
        Row{"sm_103", "sm_100a", false, false},
        Row{"sm_120", "sm_100f", false, false},
        Row{"sm_120", "sm_100", false, true},
        Row{"sm_90", "gfx942", false, false}, Row{"sm_90", "sm_", false, false},
        Row{"sm_90", "sm_90ab", false, false},
        Row{"sm_90", "", false, false}}) {
    EXPECT_EQ(cudaVendor().runs(device, chip, false), code)
        << device << " " << chip;
    EXPECT_EQ(cudaVendor().runs(device, chip, true), text)
        << device << " " << chip;
  }
}

TEST(GpuVendors, CodeObjectsRunOnTheirOwnChip) {
  auto runs = [](const char *device, const char *chip) {
    return hipVendor().runs(device, chip, false);
  };
  EXPECT_TRUE(runs("gfx942", "gfx942"));
  EXPECT_TRUE(runs("gfx942", "gfx942:sramecc+:xnack-"));
  EXPECT_FALSE(runs("gfx942", "gfx950"));
  EXPECT_FALSE(runs("gfx942", "gfx94"));
  EXPECT_TRUE(runs("gfx942", "gfx9-4-generic"));
}
