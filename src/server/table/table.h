// Objects as the table that `kubectl get` prints. A pure function of the objects and the time; the answer's JSON is
// appended as it is made, since a table of a hundred thousand pods must not exist twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "base/instant.h"
#include "base/result.h"

namespace muster::server {

// What a row carries beside its cells.
enum class IncludeObject : std::uint8_t { kMetadata, kNone, kObject };
// The query's includeObject: empty means metadata. Fails with kBadRequest.
Result<IncludeObject> parse_include_object(std::string_view text);

struct TableOptions {
    Instant now;
    IncludeObject include = IncludeObject::kMetadata;
    bool beta = false;    // meta.k8s.io/v1beta1
    bool headers = true;  // false in a watch after its first event
};

// Writes one Table of objects of one kind: made, given its rows, finished. Nothing else may be appended to `out`
// meanwhile, and both must outlive it.
class TableWriter {
public:
    TableWriter(const api::KindInfo& kind, const api::meta::ListMeta& list, TableOptions options, std::string& out);
    void row(const void* object);
    void finish();

private:
    const api::KindInfo& kind_;
    TableOptions options_;
    std::string& out_;
    bool first_ = true;
};

// The table of one object: of a GET, or of an event of a watch.
void append_table(const api::KindInfo& kind, const void* object, TableOptions options, std::string& out);

}  // namespace muster::server
