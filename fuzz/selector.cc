// Any text as a label and as a field selector: refused, or what it prints parses to the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/selector/field_selector.h"
#include "api/selector/label_selector.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace muster;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Map<Text> labels = {{"a", "1"}, {"b", ""}, {"example.com/c", "x"}};
    if (const auto selector = api::LabelSelector::parse(text); selector.ok()) {
        const auto again = api::LabelSelector::parse(selector->text());
        CHECK(again.ok(), selector->text());
        CHECK(again->text() == selector->text(), selector->text());
        CHECK(again->matches(labels) == selector->matches(labels), selector->text());
    }
    if (const auto selector = api::FieldSelector::parse(text); selector.ok()) {
        const auto again = api::FieldSelector::parse(selector->text());
        CHECK(again.ok(), selector->text());
        CHECK(again->text() == selector->text(), selector->text());
    }
    return 0;
}
