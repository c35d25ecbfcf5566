// $(NAME) references in what a manifest says. What they make is bounded before it is made: a few variables that each
// refer twice to the one before them would otherwise fill any memory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/core/container.h"
#include "base/result.h"
#include "os/machine/machine.h"

namespace muster::node {

// By name: later definitions have replaced earlier ones.
using Environment = std::map<std::string, std::string>;

// How a message calls a part of what a program gets, such as "environment variable HOME" or "args[2]". It is put
// together when there is something to say; the texts must live until then.
class WordTitle {
public:
    WordTitle(std::string_view what) : what_(what) {}  // NOLINT(google-explicit-constructor)
    WordTitle(const char* what) : what_(what) {}       // NOLINT(google-explicit-constructor)
    static WordTitle variable(std::string_view name);
    static WordTitle element(std::string_view field, std::size_t index);

    std::string str() const;

private:
    std::string_view what_;
    std::string_view name_{};
    std::optional<std::size_t> index_{};
};

// $(NAME) becomes the value of NAME, $$ becomes $; a reference to nothing stays as it is written. kTooLarge, with a
// sentence that begins with `what`, when that makes more than `size_max` bytes.
Result<std::string> expand(std::string_view text, const Environment& environment, std::size_t size_max,
                           const WordTitle& what);

// The path that a subPathExpr means. As with a kubelet, every variable that it refers to must have a value, and what
// comes of it must be relative and without "..": kInvalid or kTooLarge otherwise.
Result<std::string> expand_sub_path(std::string_view text, const Environment& environment);

// Counts what a program is to be started with.
class ExecBudget {
public:
    explicit ExecBudget(const os::ExecLimits& limits) : limits_(limits) {}
    // How many bytes the next word may have, without its final zero.
    std::size_t word_max() const { return limits_.word_max - 1; }
    // kTooLarge, with a sentence that begins with `what`, when the word or all words are too large.
    Result<void> add(std::size_t word_size, const WordTitle& what);

private:
    os::ExecLimits limits_;
    std::size_t used_ = 0;
};

// A probe's command. As with a kubelet, it refers to the values of the container's `env` as they are written.
Result<std::vector<std::string>> expand_probe_command(const api::core::Container& container, const List<Text>& command,
                                                      const os::ExecLimits& limits = {});

}  // namespace muster::node
