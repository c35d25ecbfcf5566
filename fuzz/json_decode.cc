// JSON of any bytes as a Pod: refused, or read and then the same through every format.
#include "fuzz/typed_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace muster;
    api::core::Pod pod;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (api::decode_json(api::core::Pod::info(), &pod, text).ok()) fuzz::check_round_trips(pod);
    return 0;
}
