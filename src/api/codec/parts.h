// Records as the store keeps them: protobuf in which a field declared `shared` is only the number of a part, written
// once however many objects hold it. Reading gives every object the same block again.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/schema/type_info.h"
#include "base/result.h"

namespace muster::api {

// Gives the reader of a record the parts that the record names.
class PartLookup {
public:
    virtual ~PartLookup() = default;
    // Makes `target`, a value described by info, share part `number`.
    virtual Result<void> adopt(std::uint64_t number, const ValueInfo& info, void* target) = 0;
};

Result<void> decode_record(const TypeInfo& type, void* object, std::string_view bytes, PartLookup* parts);
// Reads what append_part wrote into `value`, a value-initialised member described by info.
Result<void> decode_part(const ValueInfo& info, void* value, std::string_view bytes);

}  // namespace muster::api
