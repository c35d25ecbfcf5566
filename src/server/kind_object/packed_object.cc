#include "server/kind_object/packed_object.h"

#include "api/codec/parts.h"
#include "base/check.h"

namespace muster::server {
namespace {

// Numbers parts from 1 in the order in which they come.
class PackWriter final : public store::RecordWriter {
public:
    std::uint64_t part(const SharedBlock& block, void (*)(const void*, std::string&), const void*) override {
        parts.push_back(block);
        return parts.size();
    }
    std::vector<SharedBlock> parts;
};

class PackedParts final : public api::PartLookup {
public:
    explicit PackedParts(const PackedObject::Parts& parts) : parts_(parts) {}
    Result<void> adopt(std::uint64_t number, const api::ValueInfo& info, void* target) override {
        const auto* parts = parts_.get();
        CHECK(parts && number >= 1 && number <= parts->size());
        info.adopt(target, (*parts)[number - 1]);
        return {};
    }

private:
    const PackedObject::Parts& parts_;
};

}  // namespace

PackedObject::~PackedObject() { delete decoded_.load(std::memory_order_acquire); }

KindObjectPtr PackedObject::decode() const {
    std::shared_ptr<KindObject> fresh = make_object(kind_);
    PackedParts parts(parts_);
    const Result<void> done = api::decode_record(kind_.type(), fresh->data(), bytes_, &parts);
    CHECK(done.ok(), "what was packed here is whole");
    return fresh;
}

const KindObject& PackedObject::read() const {
    if (const KindObjectPtr* decoded = decoded_.load(std::memory_order_acquire)) return **decoded;
    auto mine = std::make_unique<const KindObjectPtr>(decode());
    const KindObjectPtr* first = nullptr;
    // Another thread may have been first.
    if (decoded_.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel)) first = mine.release();
    return **first;
}

void* PackedObject::data() { CHECK(false, "a packed object is not written"); }
api::meta::ObjectMeta& PackedObject::metadata() { CHECK(false, "a packed object is not written"); }

void PackedObject::encode_own(store::RecordWriter& writer) const {
    if (!parts_.get()) {
        writer.bytes += bytes_.view();
    } else {
        decode()->encode_own(writer);  // for once: this is the store's own, which stays
    }
}

std::size_t PackedObject::weight(const store::Object*) const {
    return sizeof(PackedObject) + kind_.type().size + 2 * bytes_.size();
}

store::ObjectPtr PackedObject::opened() const { return std::make_shared<PackedObject>(kind_, bytes_, parts_); }

store::ObjectPtr pack(const KindObject& object) {
    CHECK(!object.status_field(), "a status is written alone, and is not found in packed bytes");
    PackWriter writer;
    object.encode_own(writer);
    PackedObject::Parts parts;
    if (!writer.parts.empty()) parts.edit() = std::move(writer.parts);
    return std::make_shared<PackedObject>(object.kind(), Text(writer.bytes), std::move(parts));
}

}  // namespace muster::server
