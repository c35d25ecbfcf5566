// The fields of a document that a declared type does not know, undecoded. Every declared struct has a Residue as its
// first member (see TYPE in declare.h), so that unknown fields go with every copy of the struct: from a Job's template
// to its pods, without a line in a controller. Decoding fills it only when asked (DecodeLimits::keep_unknown); encoding
// writes it behind the known fields, in the encoding from which it came and in no other. It takes eight bytes.
#pragma once

#include <string_view>

#include "base/text.h"

namespace muster::api {

class Residue {
public:
    bool empty() const { return fields_.empty(); }
    // `,"name":value` for each field; empty when they came from protobuf.
    std::string_view json() const { return is_json() ? fields_.view() : std::string_view(); }
    // Each field with its tag; empty when they came from JSON.
    std::string_view protobuf() const { return is_json() ? std::string_view() : fields_.view(); }
    // Adds fields of the same form. A document has one encoding, and so has the residue of its structs.
    void add(std::string_view fields);

    bool operator==(const Residue&) const = default;

private:
    // A comma never begins protobuf: it would be the tag of a group's end, which the decoder refuses.
    bool is_json() const { return fields_.view().starts_with(','); }

    Text fields_;
};
static_assert(sizeof(Residue) == 8);

// Of any object of a declared type.
inline const Residue& residue_of(const void* object) { return *static_cast<const Residue*>(object); }
inline Residue& residue_of(void* object) { return *static_cast<Residue*>(object); }

}  // namespace muster::api
