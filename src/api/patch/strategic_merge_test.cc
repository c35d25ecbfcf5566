#include "api/patch/strategic_merge.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>

#include "api/patch/testing/quoted_json.h"
#include "api/patch/testing/sample_type.h"

namespace muster::api {
namespace strategic_merge_test {

using sample::Sample;

namespace json = boost::json;

struct Case {
    const char* sentence;
    const char* document;
    const char* patch;
    const char* after;
};

Result<json::value> merge(std::string_view document, std::string_view patch) {
    return apply_strategic_merge(Sample::info(), quoted_json(document), quoted_json(patch), {});
}

void expect_all(std::initializer_list<Case> cases) {
    for (const Case& given : cases) {
        const auto after = merge(given.document, given.patch);
        ASSERT_TRUE(after.ok()) << given.sentence << ": " << format_error(after.error());
        EXPECT_EQ(sorted_json(*after), sorted_json(quoted_json(given.after))) << given.sentence;
    }
}

TEST(StrategicMerge, MapsAndStructsMergeMemberByMember) {
    expect_all({
        {"an empty patch changes nothing", "{'spec':{'parallelism':1}}", "{}", "{'spec':{'parallelism':1}}"},
        {"a scalar replaces", "{'spec':{'parallelism':1}}", "{'spec':{'parallelism':2}}", "{'spec':{'parallelism':2}}"},
        {"a map keeps the keys that the patch does not name", "{'metadata':{'labels':{'a':'1'}}}",
         "{'metadata':{'labels':{'b':'2'}}}", "{'metadata':{'labels':{'a':'1','b':'2'}}}"},
        {"null deletes a key", "{'metadata':{'labels':{'a':'1','b':'2'}}}", "{'metadata':{'labels':{'a':null}}}",
         "{'metadata':{'labels':{'b':'2'}}}"},
        {"null deletes a list", "{'metadata':{'finalizers':['x'],'name':'n'}}", "{'metadata':{'finalizers':null}}",
         "{'metadata':{'name':'n'}}"},
        {"null deletes a struct", "{'spec':{'strategy':{'type':'t'}}}", "{'spec':{'strategy':null}}", "{'spec':{}}"},
        {"null for what is not there does nothing", "{'spec':{}}", "{'spec':{'strategy':null}}", "{'spec':{}}"},
        {"nulls in what is new are left out", "{}", "{'spec':{'strategy':{'type':'t','surge':null}}}",
         "{'spec':{'strategy':{'type':'t'}}}"},
        {"a map of structs merges them", "{'spec':{'byName':{'x':{'type':'t','surge':'s'},'y':{}}}}",
         "{'spec':{'byName':{'x':{'type':'u'}}}}", "{'spec':{'byName':{'x':{'type':'u','surge':'s'},'y':{}}}}"},
        {"$patch: replace takes a map whole", "{'metadata':{'labels':{'a':'1'}}}",
         "{'metadata':{'labels':{'$patch':'replace','z':'9'}}}", "{'metadata':{'labels':{'z':'9'}}}"},
        {"$patch: replace takes a struct whole", "{'spec':{'strategy':{'type':'t','surge':'s'}}}",
         "{'spec':{'strategy':{'$patch':'replace','type':'u','surge':null}}}", "{'spec':{'strategy':{'type':'u'}}}"},
        {"$patch: delete empties a map", "{'metadata':{'labels':{'a':'1'}}}",
         "{'metadata':{'labels':{'$patch':'delete','z':'9'}}}", "{'metadata':{'labels':{}}}"},
        {"a directive for a map that is not there leaves it so", "{'metadata':{}}",
         "{'metadata':{'labels':{'$patch':'replace','z':'9'}}}", "{'metadata':{}}"},
        {"a value of another type replaces, and the decoder will say so", "{'metadata':{'labels':{'a':'1'}}}",
         "{'metadata':{'labels':'x'}}", "{'metadata':{'labels':'x'}}"},
        {"an unknown field passes through to the decoder", "{'spec':{}}", "{'spec':{'nope':{'a':[1]}}}",
         "{'spec':{'nope':{'a':[1]}}}"},
        {"raw JSON is replaced whole, nulls and all", "{'spec':{'extension':{'a':1}}}",
         "{'spec':{'extension':{'b':null,'$patch':'x'}}}", "{'spec':{'extension':{'b':null,'$patch':'x'}}}"},
        {"raw JSON in a new struct keeps its nulls", "{}", "{'spec':{'extension':{'b':null},'strategy':null}}",
         "{'spec':{'extension':{'b':null}}}"},
    });
}

TEST(StrategicMerge, ListsOfStructsMergeByTheirKey) {
    expect_all({
        {"an element with a known key merges", "{'spec':{'containers':[{'name':'a','image':'1'}]}}",
         "{'spec':{'containers':[{'name':'a','image':'2'}]}}", "{'spec':{'containers':[{'name':'a','image':'2'}]}}"},
        {"what the patch does not name of it stays", "{'spec':{'containers':[{'name':'a','image':'1'}]}}",
         "{'spec':{'containers':[{'name':'a','command':['x']}]}}",
         "{'spec':{'containers':[{'name':'a','image':'1','command':['x']}]}}"},
        {"an element with a new key comes first", "{'spec':{'containers':[{'name':'a'}]}}",
         "{'spec':{'containers':[{'name':'b'}]}}", "{'spec':{'containers':[{'name':'b'},{'name':'a'}]}}"},
        {"the patch's order is kept, and others stay before what they preceded",
         "{'spec':{'containers':[{'name':'a'},{'name':'b'},{'name':'c'}]}}",
         "{'spec':{'containers':[{'name':'c'},{'name':'d'},{'name':'b'}]}}",
         "{'spec':{'containers':[{'name':'a'},{'name':'c'},{'name':'d'},{'name':'b'}]}}"},
        {"lists in elements merge by their own key",
         "{'spec':{'containers':[{'name':'a','env':[{'name':'X','value':'1'}]}]}}",
         "{'spec':{'containers':[{'name':'a','env':[{'name':'Y','value':'2'},{'name':'X','value':null}]}]}}",
         "{'spec':{'containers':[{'name':'a','env':[{'name':'Y','value':'2'},{'name':'X'}]}]}}"},
        {"a key may be a number", "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80,'name':'w'}]}]}}",
         "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80,'protocol':'TCP'},{'containerPort':81}]}]}}",
         "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80,'name':'w','protocol':'TCP'},"
         "{'containerPort':81}]}]}}"},
        {"a number is not its text", "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80}]}]}}",
         "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':'80'}]}]}}",
         "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':'80'},{'containerPort':80}]}]}}"},
        {"of two with one key the first merges and both move together",
         "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':1},{'containerPort':53,'protocol':'TCP'},"
         "{'containerPort':53,'protocol':'UDP'}]}]}}",
         "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':53,'name':'d'}]}]}}",
         "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':1},{'containerPort':53,'protocol':'TCP','name':"
         "'d'},{'containerPort':53,'protocol':'UDP'}]}]}}"},
        {"one key twice in the patch merges twice", "{'spec':{'containers':[]}}",
         "{'spec':{'containers':[{'name':'a','image':'1'},{'name':'a','command':['x']}]}}",
         "{'spec':{'containers':[{'name':'a','image':'1','command':['x']}]}}"},
        {"$patch: delete takes the element", "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}",
         "{'spec':{'containers':[{'name':'a','$patch':'delete'}]}}", "{'spec':{'containers':[{'name':'b'}]}}"},
        {"$patch: delete takes every element of that key",
         "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':53,'protocol':'TCP'},{'containerPort':53}]}]}}",
         "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':53,'$patch':'delete'}]}]}}",
         "{'spec':{'containers':[{'name':'a','ports':[]}]}}"},
        {"$patch: delete of what is not there does nothing", "{'spec':{'containers':[{'name':'a'}]}}",
         "{'spec':{'containers':[{'name':'z','$patch':'delete'}]}}", "{'spec':{'containers':[{'name':'a'}]}}"},
        {"deleted and named again, the element has no old fields", "{'spec':{'containers':[{'name':'a','image':'1'}]}}",
         "{'spec':{'containers':[{'name':'a','$patch':'delete'},{'name':'a','command':['x']}]}}",
         "{'spec':{'containers':[{'name':'a','command':['x']}]}}"},
        {"$patch: replace as an element replaces the list", "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}",
         "{'spec':{'containers':[{'name':'c'},{'$patch':'replace'},{'name':'b'}]}}",
         "{'spec':{'containers':[{'name':'c'},{'name':'b'}]}}"},
        {"$patch: replace alone empties the list", "{'spec':{'containers':[{'name':'a'}]}}",
         "{'spec':{'containers':[{'$patch':'replace'}]}}", "{'spec':{'containers':[]}}"},
        {"an empty list changes nothing", "{'spec':{'containers':[{'name':'a'}]}}", "{'spec':{'containers':[]}}",
         "{'spec':{'containers':[{'name':'a'}]}}"},
        {"a new list loses its directives", "{'spec':{}}",
         "{'spec':{'containers':[{'name':'a','$patch':'delete'},{'name':'b','env':[{'name':'X','$patch':'delete'}]}]}}",
         "{'spec':{'containers':[{'name':'b','env':[]}]}}"},
        {"so does a new element", "{'spec':{'containers':[{'name':'a'}]}}",
         "{'spec':{'containers':[{'name':'b','image':null,'$setElementOrder/env':[],'env':[{'name':'X','$patch':"
         "'delete'}]}]}}",
         "{'spec':{'containers':[{'name':'b','env':[]},{'name':'a'}]}}"},
        {"fields of an inlined struct keep their own keys",
         "{'spec':{'volumes':[{'name':'v','items':[{'name':'a','value':'1'}]}]}}",
         "{'spec':{'volumes':[{'name':'v','items':[{'name':'a','value':'2'}]}]}}",
         "{'spec':{'volumes':[{'name':'v','items':[{'name':'a','value':'2'}]}]}}"},
    });
}

TEST(StrategicMerge, OtherListsAreReplacedAndListsOfScalarsAreSets) {
    expect_all({
        {"a list not declared to merge is replaced", "{'spec':{'tolerations':[{'name':'a'}]}}",
         "{'spec':{'tolerations':[{'name':'b'}]}}", "{'spec':{'tolerations':[{'name':'b'}]}}"},
        {"an empty one empties it", "{'spec':{'tolerations':[{'name':'a'}]}}", "{'spec':{'tolerations':[]}}",
         "{'spec':{'tolerations':[]}}"},
        {"scalars are added once, new ones first", "{'metadata':{'finalizers':['a','b']}}",
         "{'metadata':{'finalizers':['c','b','c']}}", "{'metadata':{'finalizers':['c','a','b']}}"},
        {"$deleteFromPrimitiveList takes them out", "{'metadata':{'finalizers':['a','b','c']}}",
         "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a','c','z']}}", "{'metadata':{'finalizers':['b']}}"},
        {"added and deleted at once is deleted", "{'metadata':{'finalizers':['a']}}",
         "{'metadata':{'finalizers':['b','c'],'$deleteFromPrimitiveList/finalizers':['c']}}",
         "{'metadata':{'finalizers':['b','a']}}"},
        {"deleting from a list that is not there does nothing", "{'metadata':{}}",
         "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a']}}", "{'metadata':{}}"},
        {"$deleteFromPrimitiveList works on a list that does not merge",
         "{'spec':{'containers':[{'name':'a','command':['x','y']}]}}",
         "{'spec':{'containers':[{'name':'a','$deleteFromPrimitiveList/command':['x']}]}}",
         "{'spec':{'containers':[{'name':'a','command':['y']}]}}"},
    });
}

TEST(StrategicMerge, SetElementOrderSaysTheOrderAfterwards) {
    expect_all({
        {"scalars take the order given", "{'metadata':{'finalizers':['a','b']}}",
         "{'metadata':{'$setElementOrder/finalizers':['b','a'],'finalizers':['b','a']}}",
         "{'metadata':{'finalizers':['b','a']}}"},
        {"without a list in the patch it only orders", "{'metadata':{'finalizers':['a','b','c']}}",
         "{'metadata':{'$setElementOrder/finalizers':['c','a']}}", "{'metadata':{'finalizers':['b','c','a']}}"},
        {"structs take the order given", "{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b'},{'name':'c'}]}}",
         "{'spec':{'$setElementOrder/containers':[{'name':'c'},{'name':'a'}],'containers':[{'name':'a','image':'2'}]}}",
         "{'spec':{'containers':[{'name':'b'},{'name':'c'},{'name':'a','image':'2'}]}}"},
        {"what the order does not name stays before what it preceded",
         "{'spec':{'containers':[{'name':'s1'},{'name':'a'},{'name':'s2'},{'name':'b'},{'name':'s3'}]}}",
         "{'spec':{'$setElementOrder/"
         "containers':[{'name':'a'},{'name':'n'},{'name':'b'}],'containers':[{'name':'n'}]}}",
         "{'spec':{'containers':[{'name':'s1'},{'name':'a'},{'name':'n'},{'name':'s2'},{'name':'b'},{'name':'s3'}]}}"},
        {"deletions need not be in the order", "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}",
         "{'spec':{'$setElementOrder/containers':[{'name':'c'},{'name':'b'}],'containers':[{'name':'c'},{'name':'a',"
         "'$patch':'delete'}]}}",
         "{'spec':{'containers':[{'name':'c'},{'name':'b'}]}}"},
        {"unknown names in the order are ignored", "{'metadata':{'finalizers':['a']}}",
         "{'metadata':{'$setElementOrder/finalizers':['z','a']}}", "{'metadata':{'finalizers':['a']}}"},
        {"a list that is new takes the order too", "{'metadata':{}}",
         "{'metadata':{'$setElementOrder/finalizers':['a','b'],'finalizers':['a','b']}}",
         "{'metadata':{'finalizers':['a','b']}}"},
        {"an order for no list does nothing", "{'metadata':{}}", "{'metadata':{'$setElementOrder/finalizers':['a']}}",
         "{'metadata':{}}"},
        {"an order, an addition and a deletion, as kubectl sends them", "{'metadata':{'finalizers':['a','b','s']}}",
         "{'metadata':{'$setElementOrder/finalizers':['c','b'],'finalizers':['c'],'$deleteFromPrimitiveList/"
         "finalizers':['a']}}",
         "{'metadata':{'finalizers':['c','b','s']}}"},
        {"directives deeper in a list merge with it",
         "{'spec':{'containers':[{'name':'a','env':[{'name':'X'},{'name':'Y'}]}]}}",
         "{'spec':{'$setElementOrder/containers':[{'name':'a'}],'containers':[{'name':'a','$setElementOrder/env':[{"
         "'name':'Y'},{'name':'X'}]}]}}",
         "{'spec':{'containers':[{'name':'a','env':[{'name':'Y'},{'name':'X'}]}]}}"},
    });
}

TEST(StrategicMerge, RetainKeysDropsTheMembersNotNamed) {
    expect_all({
        {"another member of a union is chosen", "{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}",
         "{'spec':{'volumes':[{'name':'v','$retainKeys':['name','hostPath'],'hostPath':{'medium':'m'}}]}}",
         "{'spec':{'volumes':[{'name':'v','hostPath':{'medium':'m'}}]}}"},
        {"a struct keeps what is named", "{'spec':{'strategy':{'type':'t','surge':'s'}}}",
         "{'spec':{'strategy':{'$retainKeys':['type'],'type':'u'}}}", "{'spec':{'strategy':{'type':'u'}}}"},
        {"a null need not be named", "{'spec':{'strategy':{'type':'t','surge':'s'}}}",
         "{'spec':{'strategy':{'$retainKeys':['type'],'surge':null}}}", "{'spec':{'strategy':{'type':'t'}}}"},
        {"on what is new it is only left out", "{'spec':{'volumes':[{'name':'a'}]}}",
         "{'spec':{'volumes':[{'name':'v','$retainKeys':['name','emptyDir'],'emptyDir':{}}]}}",
         "{'spec':{'volumes':[{'name':'v','emptyDir':{}},{'name':'a'}]}}"},
    });
}

TEST(StrategicMerge, WhatIsWrongWithAPatchIsSaidInItsError) {
    const std::string containers =
        "{'spec':{'containers':[{'name':'a'}],'tolerations':[{'name':'t'}],'keyless':[{'name':'k'}],"
        "'strategy':{}},'metadata':{'labels':{'a':'1'},'finalizers':['a','b']}}";
    const struct {
        const char* sentence;
        const char* patch;
        Code code;
        const char* text;
    } cases[] = {
        {"an unknown directive", "{'metadata':{'labels':{'$patch':'explode'}}}", Code::kInternal,
         "unknown patch type: explode in map: map[$patch:explode]"},
        {"merge is no directive of a map", "{'metadata':{'labels':{'$patch':'merge'}}}", Code::kInternal,
         "unknown patch type: merge in map: map[$patch:merge]"},
        {"an unknown directive in an element", "{'spec':{'containers':[{'name':'a','$patch':'explode'}]}}",
         Code::kInternal, "unknown patch type: explode in map: map[$patch:explode name]"},
        {"merge is no directive of an element", "{'spec':{'containers':[{'name':'a','$patch':'merge'}]}}",
         Code::kInternal, "merging lists cannot yet be specified in the patch"},
        {"an element without its merge key", "{'spec':{'containers':[{'image':'x'}]}}", Code::kInternal,
         "map: map[image:x] does not contain declared merge key: name"},
        {"a deletion without its merge key", "{'spec':{'containers':[{'$patch':'delete'}]}}", Code::kInternal,
         "map: map[$patch:delete] does not contain declared merge key: name"},
        {"a merge key that is null", "{'spec':{'containers':[{'name':null}]}}", Code::kInternal,
         "map: map[name:<nil>] does not contain declared merge key: name"},
        {"a merging list of structs without a declared key", "{'spec':{'keyless':[{'name':'x'}]}}", Code::kInternal,
         "cannot merge lists without merge key for struct"},
        {"a list of two kinds", "{'spec':{'containers':['x']}}", Code::kInternal,
         "list element types are not identical: [[map[name:a]] [x]]"},
        {"a list of lists", "{'metadata':{'finalizers':[['x']]}}", Code::kInvalid, "lists of lists are not supported"},
        {"retainKeys that is no list", "{'spec':{'strategy':{'$retainKeys':'x'}}}", Code::kBadRequest,
         "invalid patch format of retainKeys"},
        {"retainKeys that does not name what the patch sets",
         "{'spec':{'strategy':{'$retainKeys':['type'],'surge':'x'}}}", Code::kBadRequest,
         "invalid patch format of retainKeys"},
        {"an order for no field", "{'metadata':{'$setElementOrder':['x']}}", Code::kBadRequest,
         "invalid patch format of setElementOrder list"},
        {"an order for an unknown field", "{'metadata':{'$setElementOrder/nope':['x']}}", Code::kInternal,
         "unable to find api field in struct SampleMeta for the json field \"nope\""},
        {"an order for what is no list", "{'metadata':{'$setElementOrder/name':['x']}}", Code::kInternal,
         "$setElementOrder/name: the field is not a list"},
        {"an order that is no list", "{'metadata':{'$setElementOrder/finalizers':'x'}}", Code::kInternal,
         "$setElementOrder/finalizers: expected an array, but received a string"},
        {"an order that contradicts the patch",
         "{'metadata':{'$setElementOrder/finalizers':['a','b'],'finalizers':['b','a']}}", Code::kInternal,
         "The order in patch list:\n[b a]\n doesn't match $setElementOrder list:\n[a b]\n"},
        {"an order that lacks what the patch has",
         "{'metadata':{'$setElementOrder/finalizers':['a'],'finalizers':['c']}}", Code::kInternal,
         "The order in patch list:\n[c]\n doesn't match $setElementOrder list:\n[a]\n"},
        {"a deletion from no field", "{'metadata':{'$deleteFromPrimitiveList':['x']}}", Code::kBadRequest,
         "invalid patch format of primitive list"},
        {"a deletion of structs as if they were scalars",
         "{'spec':{'$deleteFromPrimitiveList/containers':[{'name':'a'}]}}", Code::kBadRequest,
         "invalid patch format of primitive list"},
    };
    for (const auto& given : cases) {
        const auto refused = merge(containers, given.patch);
        ASSERT_FALSE(refused.ok()) << given.sentence << ": " << format_dom(*refused);
        EXPECT_EQ(refused.error(), (Error{given.code, given.text}))
            << given.sentence << ": " << refused.error().message;
    }
}

TEST(StrategicMerge, ALongListMergesInLinearTime) {
    json::array live;
    json::array change;
    for (int i = 0; i < 20'000; ++i) {
        live.push_back(json::object{{"name", "a" + std::to_string(i)}});
        change.push_back({{"name", "a" + std::to_string(19'999 - i)}, {"image", "x"}});
    }
    const json::value document = json::object{{"spec", json::object{{"containers", live}}}};
    const json::value patch = json::object{{"spec", json::object{{"containers", change}}}};
    const auto after = apply_strategic_merge(Sample::info(), document, patch, {});
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(after->at("spec").at("containers").as_array().front().at("name"), "a19999");
}

}  // namespace strategic_merge_test
}  // namespace muster::api
