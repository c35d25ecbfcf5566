#include "api/validation/rules/field_errors.h"

#include <gtest/gtest.h>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"

namespace muster::api {
namespace field_errors_test {

TEST(FieldPath, NamesIndexesAndKeysReadAsInTheAnswer) {
    const FieldPath spec("spec");
    EXPECT_EQ(spec.child("containers").index(0).child("resources", "requests").key("cpu").str(),
              "spec.containers[0].resources.requests[cpu]");
    EXPECT_EQ(spec.str(), "spec");
    EXPECT_EQ(FieldPath().str(), "");
}

TEST(FieldErrors, EachKindOfErrorReadsAsKubernetesWordsIt) {
    const FieldPath path("spec");
    FieldErrors errors;
    errors.add_required(path, "");
    errors.add_required(path, "name or generateName is required");
    errors.add_invalid(path, -3, kNonNegativeSentence);
    errors.add_invalid(path, Text("a\"b"), "must be …");
    errors.add_invalid(path, Shown::json("{\"a\":1}"), "no");
    errors.add_invalid(path, Shown::nothing(), "both are set");
    errors.add_forbidden(path, "not now");
    errors.add_not_supported(path, "x", {"A", "B"});
    errors.add_duplicate(path, true);
    errors.add_not_found(path, "v");
    errors.add_too_long(path, 63);
    errors.add_too_many(path, 2, 1);
    const std::vector<Cause> want = {
        {"FieldValueRequired", "spec", "Required value"},
        {"FieldValueRequired", "spec", "Required value: name or generateName is required"},
        {"FieldValueInvalid", "spec", "Invalid value: -3: must be greater than or equal to 0"},
        {"FieldValueInvalid", "spec", "Invalid value: \"a\\\"b\": must be …"},
        {"FieldValueInvalid", "spec", "Invalid value: {\"a\":1}: no"},
        {"FieldValueInvalid", "spec", "Invalid value: both are set"},
        {"FieldValueForbidden", "spec", "Forbidden: not now"},
        {"FieldValueNotSupported", "spec", "Unsupported value: \"x\": supported values: \"A\", \"B\""},
        {"FieldValueDuplicate", "spec", "Duplicate value: true"},
        {"FieldValueNotFound", "spec", "Not found: \"v\""},
        {"FieldValueTooLong", "spec", "Too long: may not be more than 63 bytes"},
        {"FieldValueTooMany", "spec", "Too many: 2: must have at most 1 item"},
    };
    EXPECT_EQ(errors.causes(), want);
}

TEST(InvalidObject, OneSentenceStandsAloneSeveralStandInBracketsAndRepeatsAreSaidOnce) {
    FieldErrors one;
    one.add_required(FieldPath("spec").child("x"), "");
    one.add_required(FieldPath("spec").child("x"), "");
    const Error alone = invalid_object(kind_info<batch::Job>(), "j", one);
    EXPECT_EQ(alone.code, Code::kInvalid);
    EXPECT_EQ(alone.message, "Job.batch \"j\" is invalid: spec.x: Required value");
    EXPECT_EQ(alone.causes.size(), 2u);

    one.add_duplicate(FieldPath("spec").child("y"), 1);
    EXPECT_EQ(invalid_object(kind_info<core::Pod>(), "p", one).message,
              "Pod \"p\" is invalid: [spec.x: Required value, spec.y: Duplicate value: 1]");
}

TEST(FieldErrors, AreListedUpToANumberAndCountedBeyond) {
    FieldErrors errors;
    for (std::size_t i = 0; i < FieldErrors::kCausesMax + 5; ++i) errors.add_required(FieldPath("a").index(i), "");
    FieldErrors more;
    for (int i = 0; i < 7; ++i) more.add_required(FieldPath("b"), "");
    errors.append(std::move(more));
    EXPECT_EQ(errors.size(), FieldErrors::kCausesMax);
    EXPECT_EQ(errors.left_out(), 12u);
    const Error error = invalid_object(KindInfo{"", "v1", "Thing", {}, nullptr}, "x", std::move(errors));
    EXPECT_EQ(error.causes.size(), FieldErrors::kCausesMax);
    EXPECT_TRUE(error.message.ends_with("a[999]: Required value, and 12 more]")) << error.message.substr(0, 100);
}

TEST(FieldErrors, ShowTheBeginningOfALongValue) {
    FieldErrors errors;
    errors.add_invalid(FieldPath("a"), std::string(100'000, 'x'), "no");
    EXPECT_LT(errors.causes()[0].message.size(), 20'000u);
    for (int i = 0; i < 100; ++i) errors.add_invalid(FieldPath("a").index(i), std::string(100'000, 'x'), "no");
    EXPECT_TRUE(errors.is_full());
    EXPECT_LT(errors.size(), 20u);
    EXPECT_EQ(errors.size() + errors.left_out(), 101u);
}

}  // namespace field_errors_test
}  // namespace muster::api
