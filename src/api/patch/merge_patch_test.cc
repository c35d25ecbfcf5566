#include "api/patch/merge_patch.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <random>

#include "api/patch/testing/quoted_json.h"

namespace muster::api {
namespace merge_patch_test {

namespace json = boost::json;

struct Case {
    const char* sentence;
    const char* document;
    const char* patch;
    const char* after;
};

TEST(MergePatch, EachMemberDoesAsTheTableSays) {
    const Case cases[] = {
        {"an empty patch changes nothing", "{'a':1}", "{}", "{'a':1}"},
        {"a member replaces", "{'a':'b'}", "{'a':'c'}", "{'a':'c'}"},
        {"a new member is added", "{'a':'b'}", "{'b':'c'}", "{'a':'b','b':'c'}"},
        {"null removes", "{'a':'b','b':'c'}", "{'a':null}", "{'b':'c'}"},
        {"null removes nothing that is not there", "{'b':'c'}", "{'a':null}", "{'b':'c'}"},
        {"objects merge at any depth", "{'a':{'b':{'c':1,'d':2}}}", "{'a':{'b':{'c':9,'d':null}}}",
         "{'a':{'b':{'c':9}}}"},
        {"a list replaces a list", "{'a':['b','c']}", "{'a':['d']}", "{'a':['d']}"},
        {"a list replaces an object", "{'a':{'b':1}}", "{'a':[1]}", "{'a':[1]}"},
        {"an object replaces a list", "{'a':[1]}", "{'a':{'b':1}}", "{'a':{'b':1}}"},
        {"an object replaces a scalar", "{'a':1}", "{'a':{'b':1,'c':null}}", "{'a':{'b':1}}"},
        {"nulls in a new object are left out", "{}", "{'a':{'bb':{'ccc':null}}}", "{'a':{'bb':{}}}"},
        {"a null that was there stays", "{'e':null}", "{'a':1}", "{'e':null,'a':1}"},
        {"nulls in a list stay", "{}", "{'a':[null,1]}", "{'a':[null,1]}"},
        {"nulls in objects in a list are left out", "{'a':[1]}", "{'a':[{'b':null,'c':1}]}", "{'a':[{'c':1}]}"},
        {"an empty object makes an empty object", "{}", "{'a':{}}", "{'a':{}}"},
    };
    for (const Case& given : cases) {
        const auto after = apply_merge_patch(quoted_json(given.document), quoted_json(given.patch), {});
        ASSERT_TRUE(after.ok()) << given.sentence;
        EXPECT_EQ(sorted_json(*after), sorted_json(quoted_json(given.after))) << given.sentence;
    }
}

TEST(MergePatch, APatchThatIsNoObjectIsABadRequest) {
    for (const char* patch : {"'x'", "[]", "null", "1"}) {
        const auto refused = apply_merge_patch(quoted_json("{'a':1}"), quoted_json(patch), {});
        ASSERT_FALSE(refused.ok()) << patch;
        EXPECT_EQ(refused.error().code, Code::kBadRequest);
    }
}

class Documents {
public:
    explicit Documents(unsigned seed) : random_(seed) {}
    json::value any(int depth) {
        switch (depth == 0 ? pick(3) : pick(6)) {
            case 0: return pick(4);
            case 1: return json::value(std::string(1, static_cast<char>('p' + pick(4))));
            case 2: return pick(2) == 0;
            case 3: {
                json::array list;
                for (int i = pick(3); i > 0; --i) list.push_back(any(depth - 1));
                return list;
            }
            default: return object(depth);
        }
    }
    json::value object(int depth) {
        json::object members;
        for (int i = pick(5); i > 0; --i) members[std::string(1, static_cast<char>('a' + pick(5)))] = any(depth - 1);
        return members;
    }

private:
    int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    std::mt19937 random_;
};

// The merge patch from one object to another that has no nulls.
json::value diff(const json::object& from, const json::object& to) {
    json::object patch;
    for (const auto& member : from)
        if (!to.contains(member.key())) patch[member.key()] = nullptr;
    for (const auto& member : to) {
        const json::value* old = from.if_contains(member.key());
        if (old && dom_equal(*old, member.value())) continue;
        const bool both = old && old->is_object() && member.value().is_object();
        patch[member.key()] = both ? diff(old->get_object(), member.value().get_object()) : member.value();
    }
    return patch;
}

TEST(MergePatch, TheDifferenceOfTwoDocumentsMakesOneOfTheOther) {
    Documents documents(7);
    for (int round = 0; round < 3000; ++round) {
        const json::value from = documents.object(4);
        const json::value to = documents.object(4);
        const json::value patch = diff(from.get_object(), to.get_object());
        const auto after = apply_merge_patch(from, patch, {});
        ASSERT_TRUE(after.ok());
        ASSERT_EQ(sorted_json(*after), sorted_json(to)) << format_dom(from) << " + " << format_dom(patch);
    }
}

TEST(MergePatch, TwiceIsOnce) {
    Documents documents(8);
    for (int round = 0; round < 1000; ++round) {
        const json::value patch = diff(documents.object(3).get_object(), documents.object(3).get_object());
        const auto once = apply_merge_patch(documents.object(3), patch, {});
        ASSERT_EQ(sorted_json(*once), sorted_json(*apply_merge_patch(*once, patch, {})));
    }
}

}  // namespace merge_patch_test
}  // namespace muster::api
