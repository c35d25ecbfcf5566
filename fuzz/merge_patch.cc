// Merge patches of any bytes, on any object: applied twice they do what they did once.
#include "api/kinds/core/pod.h"
#include "fuzz/patch_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace muster;
    const auto input = fuzz::read_patch_input(data, size);
    if (!input) return 0;
    const auto& type = api::core::Pod::info();
    const auto once = fuzz::apply_and_check(api::PatchKind::kMerge, type, *input);
    if (!once) return 0;
    const auto twice = fuzz::apply_and_check(api::PatchKind::kMerge, type, {*once, input->body});
    CHECK(twice && api::dom_equal(*twice, *once));
    return 0;
}
