#include "server/kind_object/field_labels.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/node.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/core/service.h"
#include "api/kinds/events.h"

namespace muster::server {
namespace field_labels_test {

template <class K>
KindObjectPtr object(const char* yaml) {
    return std::make_shared<TypedObject<K>>(api::from_yaml<K>(yaml).value());
}

struct Case {
    KindObjectPtr object;
    const char* selects;     // every one of these terms alone
    const char* leaves_out;  //
};

std::vector<std::string> terms(std::string_view list) {
    std::vector<std::string> out;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(' '), list.size());
        if (end != 0) out.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return out;
}

TEST(FieldLabels, SelectByTheFieldsThatAKindOffers) {
    const Case cases[] = {
        {object<api::core::Pod>(
             "{metadata: {name: p, namespace: ns}, spec: {nodeName: a, restartPolicy: Never, schedulerName: s, "
             "serviceAccountName: sa, hostNetwork: true}, status: {phase: Running, podIP: 1.2.3.4, "
             "podIPs: [{ip: 1.2.3.4}], nominatedNodeName: b}}"),
         "metadata.name=p metadata.namespace=ns spec.nodeName=a spec.restartPolicy=Never spec.schedulerName=s "
         "spec.serviceAccountName=sa spec.hostNetwork=true status.phase=Running status.podIP=1.2.3.4 "
         "status.podIPs=1.2.3.4 status.nominatedNodeName=b spec.nodeName!= metadata.name=p,status.phase!=Failed",
         "metadata.name=q metadata.namespace=m spec.nodeName= spec.nodeName!=a spec.hostNetwork=false "
         "status.phase=Pending metadata.name=p,status.phase=Failed"},
        {object<api::core::Pod>("{metadata: {name: p}}"), "spec.nodeName= status.podIP= spec.hostNetwork=false",
         "spec.nodeName!= status.podIP!="},
        {object<api::batch::Job>("{metadata: {name: j}, status: {succeeded: 3}}"), "status.successful=3",
         "status.successful=0 status.successful!=3"},
        {object<api::core::Node>("{metadata: {name: a}, spec: {unschedulable: true}}"),
         "spec.unschedulable=true metadata.name=a", "spec.unschedulable=false"},
        {object<api::core::Node>("{metadata: {name: a}}"), "spec.unschedulable=false", "spec.unschedulable=true"},
        {object<api::core::Namespace>("{metadata: {name: a}, status: {phase: Active}}"),
         "status.phase=Active name=a metadata.name=a", "status.phase=Terminating name=b"},
        {object<api::core::Secret>("{metadata: {name: a}, type: Opaque}"), "type=Opaque", "type=other"},
        {object<api::core::Service>("{metadata: {name: a}, spec: {clusterIP: None, type: ClusterIP}}"),
         "spec.clusterIP=None spec.type=ClusterIP", "spec.clusterIP=10.0.0.1 spec.type=NodePort"},
        {object<api::core::ConfigMap>("{metadata: {name: a, namespace: ns}}"), "metadata.name=a metadata.namespace=ns",
         "metadata.name=b"},
        {object<api::core::Event>(
             "{metadata: {name: e}, involvedObject: {kind: Pod, namespace: ns, name: p, uid: u, apiVersion: v1, "
             "resourceVersion: '5', fieldPath: f}, reason: R, reportingComponent: rc, source: {component: c}, "
             "type: Normal}"),
         "involvedObject.kind=Pod involvedObject.namespace=ns involvedObject.name=p involvedObject.uid=u "
         "involvedObject.apiVersion=v1 involvedObject.resourceVersion=5 involvedObject.fieldPath=f reason=R "
         "reportingComponent=rc source=c type=Normal",
         "involvedObject.kind=Job source=rc type=Warning"},
        {object<api::core::Event>("{metadata: {name: e}, reportingComponent: rc}"), "source=rc", "source="},
        {object<api::events::Event>(
             "{metadata: {name: e}, regarding: {kind: Pod, namespace: ns, name: p, uid: u, apiVersion: v1, "
             "resourceVersion: '5', fieldPath: f}, reason: R, reportingController: rc, type: Normal}"),
         "regarding.kind=Pod regarding.namespace=ns regarding.name=p regarding.uid=u regarding.apiVersion=v1 "
         "regarding.resourceVersion=5 regarding.fieldPath=f reason=R reportingController=rc type=Normal",
         "regarding.kind=Job type=Warning"},
    };
    for (const Case& one : cases) {
        for (const std::string& term : terms(one.selects)) {
            SCOPED_TRACE(one.object->kind().kind + (" selected by " + term));
            const auto selector = api::FieldSelector::parse(term).value();
            EXPECT_TRUE(check_field_labels(one.object->kind(), selector).ok());
            EXPECT_TRUE(matches_fields(*one.object, selector));
        }
        for (const std::string& term : terms(one.leaves_out)) {
            SCOPED_TRACE(one.object->kind().kind + (" left out by " + term));
            const auto selector = api::FieldSelector::parse(term).value();
            EXPECT_TRUE(check_field_labels(one.object->kind(), selector).ok());
            EXPECT_FALSE(matches_fields(*one.object, selector));
        }
        EXPECT_TRUE(matches_fields(*one.object, api::FieldSelector::parse("").value()));
    }
}

TEST(FieldLabels, RefuseWhatAKindDoesNotOffer) {
    struct Refused {
        const api::KindInfo& kind;
        const char* selector;
        const char* message;
    };
    for (const Refused& one : std::initializer_list<Refused>{
             {api::kind_info<api::core::Pod>(), "spec.image=x", "field label not supported: spec.image"},
             {api::kind_info<api::core::Pod>(), "metadata.name=p,spec.image!=x",
              "field label not supported: spec.image"},
             {api::kind_info<api::core::Node>(), "metadata.namespace=ns",
              "field label not supported: metadata.namespace"},
             {api::kind_info<api::core::Event>(), "regarding.name=p", "field label not supported: regarding.name"},
             {api::kind_info<api::events::Event>(), "involvedObject.name=p",
              "field label not supported: involvedObject.name"},
             {api::kind_info<api::core::ConfigMap>(), "data.x=y",
              "\"data.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
         }) {
        SCOPED_TRACE(one.selector);
        const auto checked = check_field_labels(one.kind, api::FieldSelector::parse(one.selector).value());
        ASSERT_FALSE(checked.ok());
        EXPECT_EQ(checked.error().code, Code::kBadRequest);
        EXPECT_EQ(checked.error().message, one.message);
    }
}

}  // namespace field_labels_test
}  // namespace muster::server
