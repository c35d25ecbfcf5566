#include "store/recovery.h"

#include "base/check.h"

namespace muster::store {
namespace {

Error cannot_read(std::string_view key, const Error& why) {
    return {why.code, "cannot read the record of \"" + std::string(key) + "\": " + why.message};
}

}  // namespace

Result<> Recovery::add(std::string_view key, Revision revision, Revision base, std::string_view bytes) {
    Result<ObjectPtr> object = codec_.decode(key, revision, bytes, parts_);
    if (!object.ok()) return cannot_read(key, object.error());
    if (*object) {
        each_({Text(key), revision, base, std::move(*object)});
    } else {
        left_.push_back({Text(key), revision, base, std::string(bytes)});
    }
    return {};
}

Result<> Recovery::finish() {
    // Some kinds may have become known meanwhile. Those go first: what they use of the parts they must decode.
    for (Left& left : std::exchange(left_, {})) TRY(add(left.key, left.revision, left.base, left.bytes));
    for (Left& left : left_) {
        Result<ObjectPtr> object = codec_.decode_last(left.key, left.revision, left.bytes, parts_);
        if (!object.ok()) return cannot_read(left.key, object.error());
        CHECK(*object, left.key.view());
        each_({std::move(left.key), left.revision, left.base, std::move(*object)});
    }
    return {};
}

}  // namespace muster::store
