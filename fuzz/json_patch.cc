// JSON patches of any bytes, on any object.
#include "api/kinds/core/pod.h"
#include "fuzz/patch_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace muster;
    const auto input = fuzz::read_patch_input(data, size);
    if (input) fuzz::apply_and_check(api::PatchKind::kJson, api::core::Pod::info(), *input);
    return 0;
}
