#include "server/objects/image_warning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace image_warning_test {

using testing::ElementsAre;
using testing::IsEmpty;

template <class K>
std::vector<std::string> warnings_of(const std::string& yaml, Operation operation = Operation::kCreate) {
    ApiObjects world;
    TypedObject<K> object(api::from_yaml<K>(yaml).value());
    std::vector<std::string> warnings;
    AdmissionRequest request{operation, api::kind_info<K>(), "", "ns", "p", &object, nullptr, nullptr, false,
                             &warnings};
    EXPECT_TRUE(warn_of_images(request, world.objects).ok());
    return warnings;
}

constexpr const char* kPlain = "image \"perl:5\" is not used: containers run programs of this machine";

TEST(ImageWarning, IsGivenForEveryImageThatIsNotUsed) {
    using api::core::Pod;
    EXPECT_THAT(warnings_of<Pod>("spec: {containers: [{name: a, image: 'perl:5', command: [x]}]}"),
                ElementsAre(kPlain));
    EXPECT_THAT(warnings_of<Pod>("spec: {initContainers: [{name: i, image: 'perl:5', command: [x]}], containers: "
                                 "[{name: a, image: 'perl:5', command: [x]}, {name: b, image: none}, {name: c, image: "
                                 "'rootfs:/srv'}]}"),
                ElementsAre(kPlain))
        << "once each";
    EXPECT_THAT(warnings_of<Pod>("spec: {containers: [{name: a, image: 'perl:5', args: [x]}]}"),
                ElementsAre(std::string(kPlain) + ", and without a command args[0] is the program"));
    EXPECT_THAT(warnings_of<Pod>("spec: {containers: [{name: a, image: 'perl:5', command: [x]}]}", Operation::kUpdate),
                IsEmpty());
}

TEST(ImageWarning, IsGivenForTemplates) {
    EXPECT_THAT(warnings_of<api::batch::Job>(
                    "spec: {template: {spec: {containers: [{name: a, image: 'perl:5', command: [x]}]}}}"),
                ElementsAre(kPlain));
    EXPECT_THAT(warnings_of<api::batch::CronJob>("spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a, "
                                                 "image: 'perl:5', command: [x]}]}}}}}"),
                ElementsAre(kPlain));
}

}  // namespace image_warning_test
}  // namespace muster::server
