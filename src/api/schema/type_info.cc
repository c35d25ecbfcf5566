#include "api/schema/type_info.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace muster::api {
namespace {

// Length and three letters tell a type's field names apart nearly always; the comparison that follows settles it.
std::uint32_t hash_name(std::string_view name) {
    if (name.empty()) return 0;
    const auto letter = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i])); };
    return static_cast<std::uint32_t>(name.size()) * 0x9e37u + letter(0) * 0x85u + letter(name.size() / 2) * 0x1f3u +
           letter(name.size() - 1) * 0xc1du;
}

FieldInfo make_field(const FieldDecl& decl) {
    FieldInfo field;
    field.json = decl.options.json ? decl.options.json : camel_case(decl.member);
    field.json_key = '"' + field.json + "\":";
    field.doc = decl.doc;
    field.number = decl.number;
    field.offset = static_cast<std::uint32_t>(decl.offset);
    field.value = decl.value;
    field.options = decl.options;
    return field;
}

}  // namespace

std::string camel_case(std::string_view snake) {
    std::string camel;
    bool upper = false;
    for (const char c : snake) {
        if (c == '_') {
            upper = true;
            continue;
        }
        camel += upper ? static_cast<char>(c - 'a' + 'A') : c;
        upper = false;
    }
    return camel;
}

TypeInfo::TypeInfo(const char* type_name, const char* type_package, const char* type_doc, TypeOptions type_options,
                   std::size_t type_size, bool type_is_kind, std::span<const FieldDecl> decls)
    : name(type_name),
      package(type_package),
      doc(type_doc),
      options(type_options),
      size(type_size),
      is_kind(type_is_kind) {
    for (const FieldDecl& decl : decls) {
        FieldInfo field = make_field(decl);
        if (decl.gated) {
            gated.push_back(std::move(field));
            continue;
        }
        if (field.options.inlined) {
            CHECK(field.value->shape == Shape::kStruct, "only a struct can be inlined");
            for (FieldInfo inner : field.value->type().json_fields) {
                inner.offset += field.offset;
                json_fields.push_back(std::move(inner));
            }
            const std::vector<FieldInfo>& inner_gated = field.value->type().gated;
            gated.insert(gated.end(), inner_gated.begin(), inner_gated.end());
        } else if (field.options.rest) {
            CHECK(field.value->shape == Shape::kMap && field.value->element->shape == Shape::kRaw, "a Map<RawJson>");
            rest_ = static_cast<std::uint8_t>(fields.size() + 1);
        } else {
            json_fields.push_back(field);
        }
        fields.push_back(std::move(field));
        by_number_.resize(static_cast<std::size_t>(decl.number) + 1);
        by_number_.back() = static_cast<std::uint8_t>(fields.size());
    }
    CHECK(json_fields.size() <= kJsonFieldsMax, "the decoder's set of seen fields has 64 places");
    mask_ = static_cast<std::uint32_t>(std::bit_ceil(json_fields.size() * 2 + 1) - 1);
    slots_.assign(mask_ + 1, 0);
    for (std::size_t i = 0; i < json_fields.size(); ++i) {
        json_fields[i].json_index = static_cast<std::uint32_t>(i);
        CHECK(!find(json_fields[i].json), "two fields of one JSON name");
        std::uint32_t slot = hash_name(json_fields[i].json) & mask_;
        while (slots_[slot] != 0) slot = (slot + 1) & mask_;
        slots_[slot] = static_cast<std::uint8_t>(i + 1);
    }
}

const FieldInfo* TypeInfo::find(std::string_view json) const {
    for (std::uint32_t slot = hash_name(json) & mask_; slots_[slot] != 0; slot = (slot + 1) & mask_) {
        const FieldInfo& field = json_fields[slots_[slot] - 1u];
        if (field.json == json) return &field;
    }
    return nullptr;
}

bool TypeInfo::is_gated(std::string_view json) const {
    return std::any_of(gated.begin(), gated.end(), [json](const FieldInfo& field) { return field.json == json; });
}

}  // namespace muster::api
