#include "api/value/field_reader.h"

namespace muster::api {

bool FieldReader::next() {
    if (!ok_ || wire_.done()) return false;
    ok_ = wire_.tag(number_, type_);
    if (!ok_) return false;
    if (is_varint()) {
        ok_ = wire_.varint(varint_);
    } else if (is_bytes()) {
        ok_ = wire_.length(bytes_);
    } else {
        ok_ = wire_.skip(type_);
    }
    return ok_;
}

}  // namespace muster::api
