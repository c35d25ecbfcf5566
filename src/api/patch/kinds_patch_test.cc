// Patches of the real kinds, through their declarations and back into typed objects.
#include <gtest/gtest.h>

#include <boost/json/value.hpp>

#include "api/codec/decode.h"
#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "api/patch/patch.h"
#include "api/patch/testing/quoted_json.h"

namespace muster::api {
namespace kinds_patch_test {

struct Case {
    const char* sentence;
    const char* current;
    const char* patch;
    const char* after;
};

template <class T>
T object_of(const char* quoted) {
    T object{};
    const auto decoded = decode_dom(T::info(), &object, quoted_json(quoted));
    EXPECT_TRUE(decoded.ok() && decoded->complaints.empty()) << quoted;
    return object;
}

template <class T>
void expect_all(PatchKind kind, std::initializer_list<Case> cases) {
    for (const Case& given : cases) {
        const T current = object_of<T>(given.current);
        const auto after =
            apply_parsed_patch(kind, T::info(), to_dom(T::info(), &current).value(), quoted_json(given.patch), {});
        ASSERT_TRUE(after.ok()) << given.sentence << ": " << format_error(after.error());
        T patched{};
        const auto decoded = decode_dom(T::info(), &patched, *after);
        ASSERT_TRUE(decoded.ok()) << given.sentence << ": " << format_error(decoded.error());
        EXPECT_TRUE(decoded->complaints.empty()) << given.sentence << ": " << decoded->complaints.front();
        EXPECT_EQ(to_json(patched), to_json(object_of<T>(given.after))) << given.sentence;
    }
}

TEST(KindsPatch, APodsListsMergeByTheKeysTheyAreDeclaredWith) {
    expect_all<core::Pod>(
        PatchKind::kStrategic,
        {
            {"containers by name", "{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b'}]}}",
             "{'spec':{'containers':[{'name':'a','image':'2'}]}}",
             "{'spec':{'containers':[{'name':'a','image':'2'},{'name':'b'}]}}"},
            {"env by name", "{'spec':{'containers':[{'name':'a','env':[{'name':'X','value':'1'},{'name':'Y'}]}]}}",
             "{'spec':{'containers':[{'name':'a','env':[{'name':'Y','$patch':'delete'},{'name':'X','value':'2'}]}]}}",
             "{'spec':{'containers':[{'name':'a','env':[{'name':'X','value':'2'}]}]}}"},
            {"ports by containerPort",
             "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80},{'containerPort':81}]}]}}",
             "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':81,'name':'m'}]}]}}",
             "{'spec':{'containers':[{'name':'a','ports':[{'containerPort':80},{'containerPort':81,'name':'m'}]}]}}"},
            {"volumeMounts by mountPath",
             "{'spec':{'containers':[{'name':'a','volumeMounts':[{'name':'v','mountPath':'/x'}]}]}}",
             "{'spec':{'containers':[{'name':'a','volumeMounts':[{'mountPath':'/x','readOnly':true}]}]}}",
             "{'spec':{'containers':[{'name':'a','volumeMounts':[{'name':'v','mountPath':'/x','readOnly':true}]}]}}"},
            {"a volume takes another source with retainKeys",
             "{'spec':{'volumes':[{'name':'v','emptyDir':{}},{'name':'w'}]}}",
             "{'spec':{'volumes':[{'name':'v','$retainKeys':['name','hostPath'],'hostPath':{'path':'/p'}}]}}",
             "{'spec':{'volumes':[{'name':'v','hostPath':{'path':'/p'}},{'name':'w'}]}}"},
            {"tolerations whole", "{'spec':{'tolerations':[{'key':'a'},{'key':'b'}]}}",
             "{'spec':{'tolerations':[{'key':'c'}]}}", "{'spec':{'tolerations':[{'key':'c'}]}}"},
            {"a command whole", "{'spec':{'containers':[{'name':'a','command':['x','y']}]}}",
             "{'spec':{'containers':[{'name':'a','command':['z']}]}}",
             "{'spec':{'containers':[{'name':'a','command':['z']}]}}"},
            {"resources as maps, quantities as text or numbers",
             "{'spec':{'containers':[{'name':'a','resources':{'limits':{'cpu':'1','memory':'1Gi'}}}]}}",
             "{'spec':{'containers':[{'name':'a','resources':{'limits':{'cpu':0.5,'memory':null}}}]}}",
             "{'spec':{'containers':[{'name':'a','resources':{'limits':{'cpu':'500m'}}}]}}"},
            {"conditions by type, a new one first", "{'status':{'conditions':[{'type':'Ready','status':'False'}]}}",
             "{'status':{'conditions':[{'type':'Initialized','status':'True'}]}}",
             "{'status':{'conditions':[{'type':'Initialized','status':'True'},{'type':'Ready','status':'False'}]}}"},
            {"finalizers as a set", "{'metadata':{'finalizers':['x.io/a','x.io/b']}}",
             "{'metadata':{'finalizers':['x.io/c'],'$deleteFromPrimitiveList/finalizers':['x.io/a']}}",
             "{'metadata':{'finalizers':['x.io/c','x.io/b']}}"},
            {"owners by uid", "{'metadata':{'ownerReferences':[{'uid':'1','name':'o','kind':'K','apiVersion':'v1'}]}}",
             "{'metadata':{'ownerReferences':[{'uid':'1','controller':true}]}}",
             "{'metadata':{'ownerReferences':[{'uid':'1','name':'o','kind':'K','apiVersion':'v1','controller':true}]}"
             "}"},
        });
}

TEST(KindsPatch, AJobsTemplateIsPatchedLikeAPod) {
    expect_all<batch::Job>(
        PatchKind::kStrategic,
        {
            {"containers of the template by name",
             "{'spec':{'parallelism':1,'template':{'spec':{'containers':[{'name':'a','image':'1'}]}}}}",
             "{'spec':{'template':{'spec':{'$setElementOrder/"
             "containers':[{'name':'a'},{'name':'b'}],'containers':[{'name':"
             "'b'}]}}}}",
             "{'spec':{'parallelism':1,'template':{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b'}]}}}}"},
            {"conditions by type", "{'status':{'conditions':[{'type':'Complete','status':'False'}]}}",
             "{'status':{'conditions':[{'type':'Complete','status':'True'}]}}",
             "{'status':{'conditions':[{'type':'Complete','status':'True'}]}}"},
            {"uncounted pods whole", "{'status':{'uncountedTerminatedPods':{'succeeded':['a'],'failed':['f']}}}",
             "{'status':{'uncountedTerminatedPods':{'succeeded':['b']}}}",
             "{'status':{'uncountedTerminatedPods':{'succeeded':['b'],'failed':['f']}}}"},
        });
    expect_all<batch::Job>(PatchKind::kMerge,
                           {
                               {"a merge patch takes conditions whole",
                                "{'status':{'conditions':[{'type':'Suspended','status':'True'}],'active':1}}",
                                "{'status':{'conditions':[{'type':'Complete','status':'True'}],'active':null}}",
                                "{'status':{'conditions':[{'type':'Complete','status':'True'}]}}"},
                           });
    expect_all<batch::Job>(PatchKind::kJson,
                           {
                               {"a JSON patch may replace a field that is not set", "{'spec':{}}",
                                "[{'op':'replace','path':'/spec/suspend','value':true}]", "{'spec':{'suspend':true}}"},
                           });
}

}  // namespace kinds_patch_test
}  // namespace muster::api
