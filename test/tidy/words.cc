// The rule about words that make sentences hard to read. The project writes for readers who are new to it, and whose
// first language may not be English.
#include <algorithm>
#include <cctype>

#include "tidy/rules.h"

namespace muster::tidy {
namespace {

// In two pieces each, so that this file passes.
const std::string kRefused[] = {std::string("who") + "ever", std::string("who") + "m", std::string("an") + "ew",
                                std::string("no") + "body", std::string("some") + "body"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// "TheNodeTells" + the word, as a part of a name: its first letter is a capital one.
bool ends_name_part(std::string_view line, std::size_t at, std::size_t end) {
    const bool capital = std::isupper(static_cast<unsigned char>(line[at])) != 0;
    return capital && (end == line.size() || std::islower(static_cast<unsigned char>(line[end])) == 0);
}

// Linux has a user of that name: it stands in quotes or backticks.
bool is_quoted(std::string_view line, std::size_t at, std::size_t end) {
    const auto quotes = [](char c) { return c == '"' || c == '`' || c == '\''; };
    return at > 0 && end < line.size() && quotes(line[at - 1]) && quotes(line[end]);
}

bool has_word(std::string_view line, const std::string& word) {
    const auto same = [](char left, char right) { return lower(left) == right; };
    auto from = line.begin();
    for (;;) {
        from = std::search(from, line.end(), word.begin(), word.end(), same);
        if (from == line.end()) return false;
        const auto at = static_cast<std::size_t>(from - line.begin());
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_letter(line[at - 1]);
        const bool ends = end == line.size() || !is_letter(line[end]);
        const bool inside_name = word.size() > 4 && !begins && ends_name_part(line, at, end);
        if (((begins && ends) || inside_name) && !is_quoted(line, at, end)) return true;
        ++from;
    }
}

}  // namespace

Findings check_words(const SourceFile& file) {
    Findings findings;
    if (file.path == "LICENSE") return findings;  // its words are not ours
    const auto lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (const std::string& word : kRefused)
            if (has_word(lines[i], word))
                findings.push_back(finding_at(file, i, "says \"" + word + "\": name the one who acts"));
    return findings;
}

}  // namespace muster::tidy
