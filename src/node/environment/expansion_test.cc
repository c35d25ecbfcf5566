#include "node/environment/expansion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::node {
namespace expansion_test {

using testing::ElementsAre;

struct ExpansionCase {
    const char* sentence;
    const char* text;
    const char* expanded;
};

TEST(Expansion, FollowsKubernetesRules) {
    const Environment environment{{"A", "one"}, {"EMPTY", ""}, {"REF", "$(A)"}};
    const ExpansionCase cases[] = {
        {"a reference becomes its value", "$(A)", "one"},
        {"text around it stays", "x$(A)y", "xoney"},
        {"an empty value is a value", "[$(EMPTY)]", "[]"},
        {"a reference to nothing stays as written", "$(NONE)", "$(NONE)"},
        {"two dollars are one, and no reference", "$$(A)", "$(A)"},
        {"three dollars are one and a reference", "$$$(A)", "$one"},
        {"a shell's reference is none of ours", "$A ${A}", "$A ${A}"},
        {"an open reference stays as written", "$(A", "$(A"},
        {"a dollar at the end stays", "A$", "A$"},
        {"what a value holds is not expanded again", "$(REF)", "$(A)"},
        {"a name may hold what a shell would not allow", "$(A.b)", "$(A.b)"},
    };
    for (const auto& each : cases)
        EXPECT_EQ(expand(each.text, environment, 100, "it").value(), each.expanded) << each.sentence;
}

TEST(Expansion, MakesNoMoreThanItMay) {
    const Environment environment{{"TEN", "0123456789"}};
    EXPECT_EQ(expand("$(TEN)$(TEN)", environment, 20, "it").value().size(), 20u);
    EXPECT_EQ(expand("$(TEN)$(TEN)", environment, 19, "args[1]").error().message,
              "args[1] has more than 19 bytes when its references are expanded");
    EXPECT_EQ(expand("plain text", environment, 9, "it").error().code, Code::kTooLarge);
}

// A search for the end of each would take the square of it: minutes.
TEST(Expansion, ManyOpenReferencesAreReadOnce) {
    std::string open;
    for (int i = 0; i < 1'000'000; ++i) open += "$(";
    EXPECT_EQ(expand(open, {}, open.size(), "it").value(), open);
}

struct SubPathCase {
    const char* text;
    const char* outcome;
};

TEST(SubPath, IsRelativeAndStaysInItsVolume) {
    const Environment environment{{"A", "one"}, {"ROOT", "/etc"}, {"UP", ".."}, {"EMPTY", ""}};
    const SubPathCase cases[] = {
        {"a/$(A)", "a/one"},
        {"$(A)..", "one.."},
        {"$(ROOT)/x", "error SubPath `/etc/x` must not be an absolute path"},
        {"a/$(UP)/b", "unable to provision SubPath `a/../b`: must not contain '..'"},
        {"$(UP)", "unable to provision SubPath `..`: must not contain '..'"},
        {"$(NONE)/$(EMPTY)", "missing value for EMPTY, NONE"},
    };
    for (const auto& each : cases) {
        const auto path = expand_sub_path(each.text, environment);
        EXPECT_EQ(path.ok() ? *path : path.error().message, each.outcome) << each.text;
    }
    const Environment big{{"BIG", std::string(5000, 'x')}};
    EXPECT_EQ(expand_sub_path("$(BIG)", big).error().code, Code::kTooLarge);
}

TEST(ProbeCommand, RefersToVariablesAsTheyAreWritten) {
    const auto container =
        api::from_yaml<api::core::Container>("{name: c, env: [{name: A, value: one}, {name: B, value: \"$(A)\"}]}")
            .value();
    const auto words = [&](const List<Text>& command, const os::ExecLimits& limits) {
        return expand_probe_command(container, command, limits);
    };
    EXPECT_THAT(words({"cat", "$(A)", "$(B)", "$(C)"}, {}).value(), ElementsAre("cat", "one", "$(A)", "$(C)"));
    EXPECT_EQ(words({"cat", "$(A)$(A)"}, {.word_max = 6}).error().message,
              "command[1] has more than 5 bytes when its references are expanded");
}

}  // namespace expansion_test
}  // namespace muster::node
