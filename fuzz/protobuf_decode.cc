// Protobuf of any bytes, with and without its envelope: refused, or read and then the same through every format.
#include "api/codec/envelope.h"
#include "fuzz/typed_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace muster;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto envelope = api::open_envelope(bytes);
    const auto pod = api::from_protobuf<api::core::Pod>(envelope.ok() ? envelope->raw : bytes);
    if (pod.ok()) fuzz::check_round_trips(*pod);
    return 0;
}
