// What the store knows of what it keeps: nothing but this. Kinds live in api/; the two meet in server/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared.h"

namespace muster::store {

using Revision = std::uint64_t;

// Collects an object's bytes. What many objects share (a template's containers) is handed over as a part: it is
// written once, and the object's bytes hold only the returned number. Used off the loop.
class RecordWriter {
public:
    virtual ~RecordWriter() = default;
    std::string bytes;

    // The number of the part that is this block, giving it one (and calling `encode`) if it is new.
    virtual std::uint64_t part(const SharedBlock& block, void (*encode)(const void* context, std::string& out),
                               const void* context) = 0;
};

// Gives parts back while objects are read from disk.
class PartSource {
public:
    virtual ~PartSource() = default;
    // The block decoded earlier for this part, or an empty one: then decode `bytes` and call `decoded`.
    virtual Result<SharedBlock> find(std::uint64_t part) = 0;
    virtual Result<std::string_view> bytes(std::uint64_t part) = 0;
    virtual void decoded(std::uint64_t part, SharedBlock block) = 0;
};

// What a write changes, the stamp aside.
enum class Difference : std::uint8_t {
    kNone,    // nothing: such a write gets no revision
    kStatus,  // only the status; all else is the same, down to the blocks that are parts
    kMore,
};

class Object;
using ObjectPtr = std::shared_ptr<const Object>;

// Immutable once stored: the store stamps it with its revision while it still has one owner.
// It has two halves: its status, which changes often and is then written alone, and its own half, which is all else.
// The bytes of its own half followed by those of its status are the bytes of the whole.
class Object {
public:
    virtual ~Object() = default;
    virtual std::string_view uid() const = 0;
    virtual void stamp(Revision revision) = 0;
    virtual Difference difference_from(const Object& other) const = 0;
    // Each appends a half. Called off the loop, any time after the object was stored. The object may also be destroyed
    // off the loop.
    virtual void encode_own(RecordWriter& writer) const = 0;
    virtual void encode_status(RecordWriter& writer) const = 0;
    // How many bytes of memory it keeps that `beside`, an object of the same kind or null, does not keep as well. The
    // limits of the history and of the journal count these.
    virtual std::size_t weight(const Object* beside) const = 0;

    // An object of a kind that is written often and read seldom has a packed form, which takes less memory and is
    // weighed, counted and written without a look at its fields. The store keeps that form, and gives readers what
    // `opened` makes of it. Both forms hold the same parts.
    virtual bool packs() const { return false; }          // of the packed form as well
    virtual ObjectPtr packed() const { return nullptr; }  // asked only of an object that packs and is not packed
    virtual ObjectPtr opened() const { return nullptr; }  // null: not packed, it is read as it is

    // Whether the next status may be written beside this object's record. Not when `opened` gives an object that does
    // not hold the parts that the record names: they would be deleted.
    virtual bool takes_status() const { return true; }
};
// An object on its way into the store, its only holder (a unique_ptr converts). Made by make_shared it costs one
// allocation less.
using Draft = std::shared_ptr<Object>;

// Makes objects of stored bytes. Called on one thread at a time, while a store is opened.
class Codec {
public:
    virtual ~Codec() = default;
    // Both halves, one after the other. The object must come stamped, and packed if it packs. A part whose bytes were
    // asked for must be given back by `decoded`. Null for an object whose kind is not known yet.
    virtual Result<ObjectPtr> decode(std::string_view key, Revision revision, std::string_view bytes,
                                     PartSource& parts) = 0;
    // The same for an object for which `decode` gave null twice, when all others have been decoded. Never null.
    virtual Result<ObjectPtr> decode_last(std::string_view key, Revision, std::string_view, PartSource&) {
        return Error{Code::kCorrupt, "the stored key " + std::string(key) + " belongs to no known kind"};
    }
};

}  // namespace muster::store
