// What a client wants back: in which encoding, and as which form of the object. Read from the Accept header with
// Kubernetes' own rules, so that every client gets what it would get from a cluster.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/negotiation/target.h"

namespace muster::server {

enum class Encoding : std::uint8_t { kJson, kYaml, kProtobuf };
// "application/json"
std::string_view media_type(Encoding encoding);

enum class Form : std::uint8_t {
    kObject,               // the object itself
    kTable,                // columns and rows, for people
    kPartialMetadata,      // metadata alone
    kPartialMetadataList,  //
};

struct AnswerForm {
    Encoding encoding = Encoding::kJson;
    Form form = Form::kObject;
    // meta.k8s.io's version when the form is not the object: v1, or v1beta1 for older clients.
    bool beta = false;
    // Indented JSON, for people.
    bool pretty = false;

    std::string content_type() const { return std::string(media_type(encoding)); }
    // Of a watch: protobuf says that it is framed.
    std::string stream_content_type() const;
    std::string_view meta_api_version() const { return beta ? "meta.k8s.io/v1beta1" : "meta.k8s.io/v1"; }
};

// For objects and lists. kNotAcceptable, in Kubernetes' words, when nothing the client takes is there.
// `pretty` of the query, or a user agent that is a person's tool, asks for indented JSON. What is not stored, such as
// the answer to a review, has no table.
Result<AnswerForm> negotiate_answer(std::string_view accept, const Query& query = {}, std::string_view user_agent = {},
                                    bool has_table = true);
// For watches: YAML cannot be streamed.
Result<AnswerForm> negotiate_stream(std::string_view accept);

enum class DiscoveryForm : std::uint8_t { kLegacy, kV2, kV2Beta1 };
struct DiscoveryAnswer {
    DiscoveryForm form = DiscoveryForm::kLegacy;
    Encoding encoding = Encoding::kJson;
    bool pretty = false;
    std::string content_type() const;
};
// For /api and /apis: the aggregated document when the client takes it anywhere in its list, else the legacy one.
Result<DiscoveryAnswer> negotiate_discovery(std::string_view accept, const Query& query = {},
                                            std::string_view user_agent = {});

// One clause of an Accept header: application/json;as=Table;v=v1;g=meta.k8s.io;q=0.9
struct AcceptClause {
    std::string_view type;
    std::string_view subtype;
    std::map<std::string, std::string, std::less<>> parameters;  // without q
    double quality = 1;
};
// The clauses, the most wanted first: by quality, then concrete types before wildcards, then as written. What cannot be
// read is left out.
std::vector<AcceptClause> parse_accept(std::string_view header);

// True for "pretty=true" in the query and for curl, wget and browsers.
bool wants_pretty(const Query& query, std::string_view user_agent);

}  // namespace muster::server
