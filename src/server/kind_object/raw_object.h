// An object that was not decoded when the store was opened: its kind was not in the registry, or its bytes are no
// object of its kind. The bytes of its record and the parts that these name are kept through restarts and backups, and
// are not changed. When its kind is in the registry, readers of the store get the object that the bytes are, or what
// stands for an object that cannot be read (server/kind_object/unreadable_object.h).
#pragma once

#include <map>
#include <memory>
#include <unordered_set>

#include "server/registry/kind_registry.h"
#include "store/object.h"

namespace muster::server {

// The numbers of all parts that a record names, whatever its type. A text inside that happens to look like a message
// may add numbers that are not meant.
std::vector<std::uint64_t> find_part_numbers(std::string_view bytes);

class RawObject final : public store::Object {
public:
    // A part that no other object has decoded is here as its bytes.
    struct Part {
        SharedBlock block;
        bool is_bytes;
    };
    using Parts = std::map<std::uint64_t, Part>;

    RawObject(std::shared_ptr<const Kinds> kinds, std::string_view key, store::Revision revision,
              std::string_view bytes, Parts parts)
        : kinds_(std::move(kinds)), key_(key), revision_(revision), bytes_(bytes), parts_(std::move(parts)) {}

    // What is inside is not known.
    std::string_view uid() const override { return {}; }
    void stamp(store::Revision revision) override { revision_ = revision; }
    store::Difference difference_from(const store::Object&) const override { return store::Difference::kMore; }
    void encode_own(store::RecordWriter& writer) const override { writer.bytes += bytes_; }
    void encode_status(store::RecordWriter&) const override {}
    std::size_t weight(const store::Object*) const override { return sizeof(RawObject) + key_.size() + bytes_.size(); }
    // A KindObject, never null.
    store::ObjectPtr opened() const override;
    bool takes_status() const override { return false; }

private:
    const std::shared_ptr<const Kinds> kinds_;
    const std::string key_;
    store::Revision revision_;
    const std::string bytes_;
    const Parts parts_;
};

// All objects of known kinds must have been decoded: the parts that they use are shared with them. `raw_parts` has the
// blocks that earlier raw objects hold as bytes.
std::shared_ptr<RawObject> keep_raw(std::shared_ptr<const Kinds> kinds, std::string_view key, store::Revision revision,
                                    std::string_view bytes, store::PartSource& parts,
                                    std::unordered_set<const void*>& raw_parts);

}  // namespace muster::server
