#include "server/discovery/version.h"

#include "base/version.h"

namespace muster::server {
namespace {

#if defined(__x86_64__)
constexpr const char* kPlatform = "linux/amd64";
#elif defined(__aarch64__)
constexpr const char* kPlatform = "linux/arm64";
#else
constexpr const char* kPlatform = "linux/unknown";
#endif

}  // namespace

std::string kubernetes_version() { return "v1.36.0+muster." + version(); }

std::string version_document() {
    // No commit and no date: the same source gives the same binary. No Go either.
    return R"({"major":"1","minor":"35","emulationMajor":"1","emulationMinor":"35","minCompatibilityMajor":"1",)"
           R"("minCompatibilityMinor":"34","gitVersion":")" +
           kubernetes_version() +
           R"(","gitCommit":"","gitTreeState":"","buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"gcc",)"
           R"("platform":")" +
           kPlatform + "\"}";
}

}  // namespace muster::server
