#include "server/identity/static_tokens.h"

#include "server/identity/openssl.h"

namespace muster::server {
namespace {

Error at_line(std::size_t line, std::string_view what) {
    return Error{Code::kInvalid, "line " + std::to_string(line) + ": " + std::string(what)};
}

// Reads CSV as Go does: a field in quotes may hold commas, line breaks and doubled quotes.
class Records {
public:
    explicit Records(std::string_view text) : left_(text) {}

    bool at_end() {
        while (!left_.empty() && (left_.front() == '\n' || left_.starts_with("\r\n"))) skip_line_break();
        return left_.empty();
    }
    std::size_t line() const { return line_; }

    Result<std::vector<std::string>> next() {
        std::vector<std::string> fields;
        for (;;) {
            std::string field;
            if (left_.starts_with('"')) {
                TRY_ASSIGN(field, quoted());
            } else {
                field = std::string(left_.substr(0, left_.find_first_of(",\n")));
                left_.remove_prefix(field.size());
                if (field.ends_with('\r')) field.pop_back();
                if (field.find('"') != std::string::npos)
                    return at_line(line_, "a quote inside a field without quotes");
            }
            fields.push_back(std::move(field));
            if (!left_.starts_with(',')) break;
            left_.remove_prefix(1);
        }
        if (!left_.empty() && left_.front() != '\n' && !left_.starts_with("\r\n"))
            return at_line(line_, "text after a closing quote");
        return fields;
    }

private:
    void skip_line_break() {
        left_.remove_prefix(left_.front() == '\n' ? 1 : 2);
        ++line_;
    }
    Result<std::string> quoted() {
        const std::size_t start = line_;
        std::string field;
        left_.remove_prefix(1);
        while (!left_.empty()) {
            const char c = left_.front();
            left_.remove_prefix(1);
            if (c == '\n') ++line_;
            if (c != '"') {
                field += c;
            } else if (left_.starts_with('"')) {
                field += '"';
                left_.remove_prefix(1);
            } else {
                return field;
            }
        }
        return at_line(start, "a quote that is never closed");
    }

    std::string_view left_;
    std::size_t line_ = 1;
};

std::vector<std::string> split_groups(std::string_view text) {
    std::vector<std::string> groups;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        if (comma != 0) groups.emplace_back(text.substr(0, comma));
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    return groups;
}

}  // namespace

Result<StaticTokens> StaticTokens::parse(std::string_view text) {
    StaticTokens tokens;
    Records records(text);
    while (!records.at_end()) {
        const std::size_t line = records.line();
        TRY_ASSIGN(const std::vector<std::string> fields, records.next());
        if (fields.size() < 3 || fields.size() > 4)
            return at_line(line, "must have 3 or 4 columns (token, user name, user uid, groups), found " +
                                     std::to_string(fields.size()));
        if (fields[0].empty()) return at_line(line, "the token is empty");
        if (fields[1].empty()) return at_line(line, "the user name is empty");
        User user{.name = fields[1], .uid = fields[2]};
        if (fields.size() == 4) user.groups = split_groups(fields[3]);
        if (!tokens.users_.emplace(sha256_of(fields[0]), std::move(user)).second)
            return at_line(line, "the same token stands on an earlier line");
    }
    return tokens;
}

const User* StaticTokens::find(std::string_view token) const {
    const auto found = users_.find(sha256_of(token));
    return found == users_.end() ? nullptr : &found->second;
}

}  // namespace muster::server
