// Any text as a quantity: refused, or its canonical text means the same and is its own canonical text.
#include "api/value/quantity.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using muster::api::Quantity;
    const auto quantity = Quantity::parse({reinterpret_cast<const char*>(data), size});
    if (!quantity.ok()) return 0;
    const auto again = Quantity::parse(quantity->text());
    CHECK(again.ok(), quantity->text());
    CHECK(*again == *quantity, quantity->text());
    CHECK(again->text() == quantity->text(), quantity->text());
    return 0;
}
