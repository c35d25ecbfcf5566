#include "server/negotiation/accept.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::server {
namespace {

// In the order in which they are offered: a client that takes anything gets the first.
constexpr Encoding kEncodings[] = {Encoding::kJson, Encoding::kYaml, Encoding::kProtobuf};
constexpr const char* kAcceptable =
    "only the following media types are accepted: application/json, application/yaml, "
    "application/vnd.kubernetes.protobuf";
constexpr const char* kAcceptableStreams =
    "only the following media types are accepted: application/json;stream=watch, "
    "application/vnd.kubernetes.protobuf;stream=watch";
constexpr std::size_t kClausesMax = 64;

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// Cuts what stands before the separator off the text.
std::string_view next_piece(std::string_view& text, char separator) {
    const std::size_t end = text.find(separator);
    const std::string_view piece = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return piece;
}

void parse_parameters(std::string_view text, AcceptClause& clause) {
    while (!text.empty()) {
        std::string_view value = next_piece(text, ';');
        const std::string_view name = trim(next_piece(value, '='));
        value = trim(value);
        if (value.empty() || value.find('=') != std::string_view::npos) continue;
        if (name == "q") {
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), clause.quality);
            if (error != std::errc() || end != value.data() + value.size()) clause.quality = 0;
        } else {
            clause.parameters[std::string(name)] = value;
        }
    }
}

std::optional<AcceptClause> parse_clause(std::string_view text) {
    AcceptClause clause;
    std::string_view subtype = next_piece(text, ';');
    clause.type = trim(next_piece(subtype, '/'));
    clause.subtype = trim(subtype);
    if (clause.subtype.empty()) {
        if (clause.type != "*") return std::nullopt;
        clause.subtype = "*";
    }
    if (clause.subtype.find('/') != std::string_view::npos) return std::nullopt;
    parse_parameters(text, clause);
    return clause;
}

bool takes(const AcceptClause& clause, Encoding encoding) {
    if (clause.type == "*") return clause.subtype == "*";
    const std::string_view offered = media_type(encoding);
    const std::size_t slash = offered.find('/');
    return clause.type == offered.substr(0, slash) &&
           (clause.subtype == "*" || clause.subtype == offered.substr(slash + 1));
}

std::string_view parameter(const AcceptClause& clause, std::string_view name) {
    const auto found = clause.parameters.find(name);
    return found == clause.parameters.end() ? std::string_view() : std::string_view(found->second);
}

bool converts(const AcceptClause& clause) {
    return clause.parameters.contains("as") || clause.parameters.contains("g") || clause.parameters.contains("v");
}

// The form a clause asks for in one encoding, or nothing when it cannot be had.
std::optional<AnswerForm> form_of(const AcceptClause& clause, Encoding encoding) {
    const std::string_view stream = parameter(clause, "stream");
    if (!stream.empty() && (stream != "watch" || encoding == Encoding::kYaml)) return std::nullopt;
    const std::string_view server_version = parameter(clause, "sv");
    if (!server_version.empty() && server_version != "v1") return std::nullopt;
    AnswerForm answer{.encoding = encoding, .pretty = parameter(clause, "pretty") == "1"};
    if (!converts(clause)) return answer;
    const std::string_view version = parameter(clause, "v");
    if (parameter(clause, "g") != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) return std::nullopt;
    answer.beta = version == "v1beta1";
    const std::string_view as = parameter(clause, "as");
    if (as == "Table" && encoding != Encoding::kProtobuf) {
        answer.form = Form::kTable;
    } else if (as == "PartialObjectMetadata") {
        answer.form = Form::kPartialMetadata;
    } else if (as == "PartialObjectMetadataList") {
        answer.form = Form::kPartialMetadataList;
    } else {
        return std::nullopt;
    }
    return answer;
}

std::optional<DiscoveryAnswer> discovery_of(const AcceptClause& clause, Encoding encoding) {
    if (parameter(clause, "g") != "apidiscovery.k8s.io" || parameter(clause, "as") != "APIGroupDiscoveryList")
        return std::nullopt;
    const std::string_view version = parameter(clause, "v");
    DiscoveryAnswer answer{.encoding = encoding, .pretty = parameter(clause, "pretty") == "1"};
    if (version == "v2") {
        answer.form = DiscoveryForm::kV2;
    } else if (version == "v2beta1") {
        answer.form = DiscoveryForm::kV2Beta1;
    } else {
        return std::nullopt;
    }
    return answer;
}

// The first clause, the most wanted first, that one of the encodings satisfies.
template <class Found>
auto first_fit(std::string_view accept, Found found) -> decltype(found(AcceptClause(), Encoding::kJson)) {
    for (const AcceptClause& clause : parse_accept(accept))
        for (const Encoding encoding : kEncodings)
            if (takes(clause, encoding))
                if (auto fit = found(clause, encoding)) return fit;
    return std::nullopt;
}

std::optional<AnswerForm> find_answer(std::string_view accept, bool has_table = true) {
    if (accept.empty()) return AnswerForm();
    return first_fit(accept, [has_table](const AcceptClause& clause, Encoding encoding) {
        std::optional<AnswerForm> form = form_of(clause, encoding);
        if (form && form->form == Form::kTable && !has_table) form.reset();
        return form;
    });
}

}  // namespace

std::string_view media_type(Encoding encoding) {
    switch (encoding) {
        case Encoding::kJson: return "application/json";
        case Encoding::kYaml: return "application/yaml";
        case Encoding::kProtobuf: return "application/vnd.kubernetes.protobuf";
    }
    return {};
}

std::string AnswerForm::stream_content_type() const {
    return encoding == Encoding::kJson ? content_type() : content_type() + ";stream=watch";
}

std::string DiscoveryAnswer::content_type() const {
    std::string type(media_type(encoding));
    if (form == DiscoveryForm::kLegacy) return type;
    return type + ";g=apidiscovery.k8s.io;v=" + (form == DiscoveryForm::kV2 ? "v2" : "v2beta1") +
           ";as=APIGroupDiscoveryList";
}

std::vector<AcceptClause> parse_accept(std::string_view header) {
    std::vector<AcceptClause> clauses;
    while (!header.empty() && clauses.size() < kClausesMax)
        if (auto clause = parse_clause(trim(next_piece(header, ',')))) clauses.push_back(std::move(*clause));
    std::ranges::stable_sort(clauses, [](const AcceptClause& left, const AcceptClause& right) {
        if (left.quality != right.quality) return left.quality > right.quality;
        if ((left.type == "*") != (right.type == "*")) return right.type == "*";
        return left.subtype != "*" && right.subtype == "*";
    });
    return clauses;
}

bool wants_pretty(const Query& query, std::string_view user_agent) {
    const std::string_view asked = query.get("pretty");
    if (!asked.empty()) {
        static constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"};
        return std::ranges::find(kTrue, asked) != std::end(kTrue);
    }
    return user_agent.starts_with("curl") || user_agent.starts_with("Wget") || user_agent.starts_with("Mozilla/5.0");
}

Result<AnswerForm> negotiate_answer(std::string_view accept, const Query& query, std::string_view user_agent,
                                    bool has_table) {
    std::optional<AnswerForm> answer = find_answer(accept, has_table);
    if (!answer) return Error{Code::kNotAcceptable, kAcceptable};
    answer->pretty = answer->encoding == Encoding::kJson && (answer->pretty || wants_pretty(query, user_agent));
    return *answer;
}

Result<AnswerForm> negotiate_stream(std::string_view accept) {
    const std::optional<AnswerForm> answer = find_answer(accept);
    if (!answer || answer->encoding == Encoding::kYaml) return Error{Code::kNotAcceptable, kAcceptableStreams};
    return *answer;
}

Result<DiscoveryAnswer> negotiate_discovery(std::string_view accept, const Query& query, std::string_view user_agent) {
    std::optional<DiscoveryAnswer> answer = first_fit(accept, discovery_of);
    if (!answer) {
        TRY_ASSIGN(const AnswerForm plain, negotiate_answer(accept, query, user_agent));
        // Discovery has no other form than its own.
        if (plain.form != Form::kObject) return Error{Code::kNotAcceptable, kAcceptable};
        return DiscoveryAnswer{.encoding = plain.encoding, .pretty = plain.pretty};
    }
    answer->pretty = answer->encoding == Encoding::kJson && (answer->pretty || wants_pretty(query, user_agent));
    return *answer;
}

}  // namespace muster::server
