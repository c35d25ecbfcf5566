#include "client/kinds/kind_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "api/kinds/core/event.h"
#include "api/kinds/core/pod.h"

namespace muster::client {
namespace kind_source_test {

TEST(DeclaredKinds, AreTheStoredKinds) {
    const KindSource::Kinds kinds = declared_kinds().stored();
    const auto has = [&](const api::KindInfo& kind) {
        return std::find(kinds.begin(), kinds.end(), &kind) != kinds.end();
    };
    EXPECT_TRUE(has(api::kind_info<api::core::Pod>()));
    EXPECT_TRUE(has(api::kind_info<api::core::Event>()));
    EXPECT_NE(declared_kinds().listen([] {}), nullptr);
}

TEST(KindListeners, AreCalledInTheOrderInWhichTheyCame) {
    KindListeners listeners;
    std::string called;
    const auto first = listeners.add([&] { called += '1'; });
    auto second = listeners.add([&] { called += '2'; });
    const auto third = listeners.add([&] { called += '3'; });
    listeners.call();
    second.reset();
    listeners.call();
    EXPECT_EQ(called, "12313");
}

TEST(KindListeners, AListenerMayEndItselfAndOthersAndAddMore) {
    KindListeners listeners;
    std::string called;
    std::unique_ptr<KindSource::Listening> first, second, third;
    first = listeners.add([&] {
        called += '1';
        second.reset();
        third = listeners.add([&] { called += '3'; });
        first.reset();
    });
    second = listeners.add([&] { called += '2'; });
    listeners.call();
    EXPECT_EQ(called, "1") << "one that came during the call waits for the next change";
    listeners.call();
    EXPECT_EQ(called, "13");
}

TEST(KindListeners, MayEndAfterTheirSource) {
    auto listeners = std::make_unique<KindListeners>();
    const auto listening = listeners->add([] {});
    listeners.reset();
}

}  // namespace kind_source_test
}  // namespace muster::client
