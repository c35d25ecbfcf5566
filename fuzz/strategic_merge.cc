// Strategic merge patches of any bytes, on Pods (and on Jobs, when the object says it is one). What comes out goes
// through the decoder, as it would in the server.
#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "fuzz/patch_input.h"

namespace {

template <class T>
void try_kind(const muster::fuzz::PatchInput& input) {
    using namespace muster;
    const auto after = fuzz::apply_and_check(api::PatchKind::kStrategic, T::info(), input);
    if (!after) return;
    T object{};
    (void)api::decode_dom(T::info(), &object, *after).ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = muster::fuzz::read_patch_input(data, size);
    if (!input) return 0;
    const boost::json::value* kind = input->current.get_object().if_contains("kind");
    if (kind && *kind == "Job") {
        try_kind<muster::api::batch::Job>(*input);
    } else {
        try_kind<muster::api::core::Pod>(*input);
    }
    return 0;
}
