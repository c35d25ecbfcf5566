// The table of a scoreboard: rows of figures, each the best of several rounds and beside its reference, printed as they
// are taken and written as JSON.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"

namespace muster::bench {

// What one round of a row gave.
struct Figure {
    double value = 0;
    std::optional<double> reference{};
    std::string missing{};  // why there is no reference, where its name does not say enough
};

struct Row {
    const char* name;
    const char* unit;
    bool more_is_better;
    const char* reference;         // what the reference is; empty: there is none
    double target = NAN;           // of the value
    double target_ratio = NAN;     // to the reference, where more is better
    std::vector<Figure> rounds{};  //

    bool is_better(double a, double b) const { return more_is_better ? a > b : a < b; }
    // The best value, and the best reference, of all rounds.
    Figure best() const {
        Figure best = rounds.front();
        for (const Figure& each : rounds) {
            if (is_better(each.value, best.value)) best.value = each.value;
            if (each.reference && (!best.reference || is_better(*each.reference, *best.reference)))
                best.reference = each.reference;
        }
        return best;
    }
    // How many times as good as the reference.
    static double ratio(const Figure& figure, bool more_is_better) {
        return more_is_better ? figure.value / *figure.reference : *figure.reference / figure.value;
    }
    bool pass() const {
        const Figure figure = best();
        if (!std::isnan(target) && is_better(target, figure.value)) return false;
        return std::isnan(target_ratio) || (figure.reference && ratio(figure, more_is_better) >= target_ratio);
    }
    std::string verdict() const {
        if (pass()) return "pass";
        const Figure figure = best();
        if (figure.reference || std::isnan(target_ratio)) return "MISSED";
        return "SKIPPED: " + (figure.missing.empty() ? std::string(reference) + " is not installed" : figure.missing);
    }
};

inline std::string format_figure(std::optional<double> value) {
    if (!value) return "-";
    char text[40];
    std::snprintf(text, sizeof(text), *value < 100 ? "%.2f" : "%.0f", *value);
    return text;
}

inline std::string format_target(const Row& row) {
    std::string text;
    if (!std::isnan(row.target)) text = (row.more_is_better ? ">= " : "<= ") + format_figure(row.target);
    if (!std::isnan(row.target_ratio))
        text += (text.empty() ? "" : ", ") + ("ratio " + format_figure(row.target_ratio));
    return text;
}

inline void print_row(const Row& row) {
    const Figure best = row.best();
    const std::string ratio = best.reference ? format_figure(Row::ratio(best, row.more_is_better)) : "-";
    std::printf("%-34s %9s %-6s %9s %-22s %6s  %-22s %s\n", row.name, format_figure(best.value).c_str(), row.unit,
                format_figure(best.reference).c_str(), row.reference, ratio.c_str(), format_target(row).c_str(),
                row.verdict().c_str());
    std::fflush(stdout);
}

inline boost::json::value row_json(const Row& row) {
    const auto number = [](std::optional<double> value) {
        return value && !std::isnan(*value) ? boost::json::value(*value) : boost::json::value();
    };
    const Figure best = row.best();
    boost::json::object out;
    out["name"] = row.name;
    out["value"] = best.value;
    out["unit"] = row.unit;
    out["reference"] = {{"name", row.reference}, {"value", number(best.reference)}};
    out["ratio"] = best.reference ? boost::json::value(Row::ratio(best, row.more_is_better)) : boost::json::value();
    out["target"] = {{"value", number(row.target)}, {"ratio", number(row.target_ratio)}};
    out["pass"] = row.pass();
    return out;
}

inline void write_results(const std::string& path, const std::vector<Row>& rows) {
    boost::json::array all;
    for (const Row& row : rows) all.push_back(row_json(row));
    std::ofstream file(path);
    file << "[\n";
    for (std::size_t i = 0; i < all.size(); ++i)
        file << "  " << boost::json::serialize(all[i]) << (i + 1 < all.size() ? ",\n" : "\n");
    file << "]\n";
    CHECK(file.good(), "cannot write " + path);
}

class Board {
public:
    // Only rows of these names, all when there are none.
    Board(int rounds, std::vector<std::string> only) : rounds_(rounds), only_(std::move(only)) {
        std::printf("%-34s %9s %-6s %9s %-22s %6s  %-22s\n", "", "value", "", "reference", "", "ratio", "target");
    }
    void take(std::vector<Row> rows, const std::function<std::vector<Figure>()>& round) {
        for (const Row& row : rows) names_.emplace_back(row.name);
        const auto wanted = [&](const Row& row) {
            return std::find(only_.begin(), only_.end(), row.name) != only_.end();
        };
        if (!only_.empty() && std::none_of(rows.begin(), rows.end(), wanted)) return;
        for (int i = 0; i < rounds_; ++i) {
            const std::vector<Figure> figures = round();
            for (std::size_t each = 0; each < rows.size(); ++each) rows[each].rounds.push_back(figures[each]);
        }
        for (Row& row : rows) {
            print_row(row);
            rows_.push_back(std::move(row));
        }
    }
    const std::vector<Row>& rows() const { return rows_; }
    // After the last row: a sentence about the names that are none; empty when all are.
    std::string describe_unknown() const {
        std::string unknown;
        for (const std::string& name : only_)
            if (std::find(names_.begin(), names_.end(), name) == names_.end()) unknown += " " + name;
        if (unknown.empty()) return unknown;
        std::string text = "there is no row" + unknown + "; there are";
        for (const std::string& name : names_) text += " " + name;
        return text;
    }

private:
    const int rounds_;
    const std::vector<std::string> only_;
    std::vector<std::string> names_;  // of all rows, those that were not taken among them
    std::vector<Row> rows_;
};

}  // namespace muster::bench
