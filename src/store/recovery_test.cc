#include "store/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "store/parts.h"
#include "store/testing/note.h"

namespace muster::store {
namespace recovery_test {

using testing::ElementsAre;

// Knows the resources that it is told of, and learns one from the object "/b/definitions/x".
class LearningCodec final : public Codec {
public:
    Result<ObjectPtr> decode(std::string_view key, Revision, std::string_view bytes, PartSource&) override {
        if (key == "/b/definitions/x") knows_more_ = true;
        if (!key.starts_with("/b/") && !(knows_more_ && key.starts_with("/a/"))) return ObjectPtr();
        return ObjectPtr(std::make_shared<Note>("known", std::string(bytes)));
    }
    Result<ObjectPtr> decode_last(std::string_view key, Revision, std::string_view bytes, PartSource&) override {
        if (key.starts_with("/broken/")) return Error{Code::kCorrupt, "it is broken"};
        return ObjectPtr(std::make_shared<Note>("raw", std::string(bytes)));
    }

private:
    bool knows_more_ = false;
};

struct RecoveryTest : testing::Test {
    std::vector<std::string> found;
    const Journal::Each each = [this](Recovered one) {
        found.push_back(one.key.str() + " " + std::to_string(one.revision) + "/" + std::to_string(one.base) + " " +
                        std::string(one.object->uid()) + " " + static_cast<const Note&>(*one.object).text);
    };
    LearningCodec codec;
    PartLoader parts;
    Recovery recovery{codec, parts, each};
};

TEST_F(RecoveryTest, AKindMayBeDefinedBehindItsObjectsAndUnknownOnesComeLast) {
    ASSERT_TRUE(recovery.add("/a/things/1", 5, 4, "one").ok());
    ASSERT_TRUE(recovery.add("/a0/unknown/1", 6, 6, "two").ok());
    ASSERT_TRUE(recovery.add("/b/definitions/x", 1, 1, "three").ok());
    ASSERT_TRUE(recovery.add("/c/unknown/1", 7, 7, "four").ok());
    ASSERT_TRUE(recovery.finish().ok());
    EXPECT_THAT(found, ElementsAre("/b/definitions/x 1/1 known three", "/a/things/1 5/4 known one",
                                   "/a0/unknown/1 6/6 raw two", "/c/unknown/1 7/7 raw four"));
}

TEST_F(RecoveryTest, AnErrorNamesTheKey) {
    ASSERT_TRUE(recovery.add("/broken/x/1", 1, 1, "").ok());
    const Result<> done = recovery.finish();
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, Code::kCorrupt);
    EXPECT_EQ(done.error().message, "cannot read the record of \"/broken/x/1\": it is broken");
}

}  // namespace recovery_test
}  // namespace muster::store
