#include "server/kind_object/raw_object.h"

#include "api/text/wire.h"
#include "server/kind_object/unreadable_object.h"

namespace muster::server {
namespace {

using PartBytes = Shared<std::string>;

// Whether the bytes are a message as far as the wire format tells; its parts are added then. What is inside may be a
// message or a text: both are tried. Declared types nest no deeper than the limit.
bool add_part_numbers(std::string_view bytes, int depth, std::vector<std::uint64_t>& numbers) {
    constexpr int kDepthMax = 64;
    if (depth > kDepthMax) return false;
    const std::size_t before = numbers.size();
    api::WireReader reader(bytes);
    while (!reader.done()) {
        std::uint32_t field = 0;
        api::Wire wire{};
        std::uint64_t number = 0;
        std::string_view inside;
        bool read = reader.tag(field, wire);
        if (read && wire == api::Wire::kPart) {
            read = reader.varint(number);
            if (read) numbers.push_back(number);
        } else if (read && wire == api::Wire::kLength) {
            read = reader.length(inside);
            if (read) add_part_numbers(inside, depth + 1, numbers);
        } else if (read) {
            read = reader.skip(wire);
        }
        if (read) continue;
        numbers.resize(before);
        return false;
    }
    return true;
}

// Gives the parts of one raw object to the decoder.
class HeldParts final : public store::PartSource {
public:
    explicit HeldParts(const RawObject::Parts& parts) : parts_(parts) {}
    Result<SharedBlock> find(std::uint64_t number) override {
        TRY_ASSIGN(const RawObject::Part* part, held(number));
        return part->is_bytes ? SharedBlock() : part->block;
    }
    Result<std::string_view> bytes(std::uint64_t number) override {
        TRY_ASSIGN(const RawObject::Part* part, held(number));
        kept_ = part->block.as<std::string>();
        return std::string_view(*kept_.get());
    }
    void decoded(std::uint64_t, SharedBlock) override {}

private:
    Result<const RawObject::Part*> held(std::uint64_t number) const {
        const auto found = parts_.find(number);
        if (found != parts_.end()) return &found->second;
        return Error{Code::kCorrupt, "part " + std::to_string(number) + " is missing"};
    }
    const RawObject::Parts& parts_;
    PartBytes kept_;
};

}  // namespace

std::vector<std::uint64_t> find_part_numbers(std::string_view bytes) {
    std::vector<std::uint64_t> numbers;
    add_part_numbers(bytes, 0, numbers);
    return numbers;
}

store::ObjectPtr RawObject::opened() const {
    const std::size_t resource_end = key_.find('/', key_.find('/', 1) + 1);
    const api::KindInfo* kind = kinds_->now()->find_stored(key_.substr(0, resource_end + 1));
    if (!kind) return std::make_shared<UnreadableObject>(nullptr, key_, revision_, "its kind is not defined");
    HeldParts parts(parts_);
    Result<std::shared_ptr<KindObject>> object = decode_object(*kind, revision_, bytes_, parts);
    if (object.ok()) return std::move(*object);
    return std::make_shared<UnreadableObject>(kind, key_, revision_, object.error().message);
}

std::shared_ptr<RawObject> keep_raw(std::shared_ptr<const Kinds> kinds, std::string_view key, store::Revision revision,
                                    std::string_view bytes, store::PartSource& parts,
                                    std::unordered_set<const void*>& raw_parts) {
    RawObject::Parts held;
    for (const std::uint64_t number : find_part_numbers(bytes)) {
        if (held.contains(number)) continue;
        const Result<SharedBlock> block = parts.find(number);
        if (!block.ok()) continue;  // no part was meant
        if (block->identity()) {
            held.emplace(number, RawObject::Part{*block, raw_parts.contains(block->identity())});
            continue;
        }
        PartBytes part;
        part.edit() = parts.bytes(number).value();
        held.emplace(number, RawObject::Part{SharedBlock(part), true});
        parts.decoded(number, SharedBlock(part));
        raw_parts.insert(part.identity());
    }
    return std::make_shared<RawObject>(std::move(kinds), key, revision, bytes, std::move(held));
}

}  // namespace muster::server
