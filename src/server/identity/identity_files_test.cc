#include "server/identity/identity_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <filesystem>

#include "os/testing/memory_files.h"

namespace muster::server {
namespace identity_files_test {

using testing::HasSubstr;
using testing::Not;

const Instant kNow = Instant::from_unix_seconds(1'700'000'000);

struct IdentityFilesTest : testing::Test {
    os::MemoryFiles files;
    const ServingNames names{{"box"}, {"10.0.0.7"}};
    const std::string server = "https://127.0.0.1:6443";
    std::atomic<bool> given_up{false};
    Identity keep(Instant now = kNow) { return keep_identity(files, "/data", names, now).value(); }
    // With the administrator's certificate, whose key takes time to make.
    Identity keep_all(Instant now = kNow) {
        return renew_identity(files, "/data", names, server, now, given_up).value();
    }
    Result<Identity> try_keep() { return keep_identity(files, "/data", names, kNow); }
};

TEST_F(IdentityFilesTest, TheFirstStartMakesEverythingAndTheNextFindsIt) {
    const Identity first = keep_all();
    EXPECT_TRUE(is_pair(first.serving));
    EXPECT_TRUE(is_signed_by(first.serving.certificate, first.authority.certificate));
    EXPECT_TRUE(is_signed_by(first.admin.certificate, first.authority.certificate));
    EXPECT_EQ(read_certificate(first.admin.certificate)->organizations, std::vector<std::string>{"system:masters"});
    EXPECT_EQ(keep_all(kNow + 24h), first);
}

TEST_F(IdentityFilesTest, TheAdministratorsKeyIsRsaAsJavaReadsIt) {
    const Identity identity = keep_all();
    EXPECT_TRUE(has_rsa_key(identity.admin));
    EXPECT_TRUE(is_pair(identity.admin));
    EXPECT_THAT(identity.admin.key, testing::StartsWith("-----BEGIN RSA PRIVATE KEY-----\n"));
    EXPECT_FALSE(has_rsa_key(identity.serving));
}

TEST_F(IdentityFilesTest, AnEcKeyOfTheAdministratorIsReplacedAndItsCertificateStaysGood) {
    const Identity before = keep();
    const std::string groups[] = {"system:masters"};
    const Certificate old = issue_client_certificate(before.authority, "kubernetes-admin", groups, kNow).value();
    ASSERT_TRUE(files.replace("/data/pki/admin.pem", old.certificate + old.key, os::Access::kOnlyUs).ok());
    ASSERT_TRUE(
        write_kubeconfig(files, "/data/kubeconfig", format_kubeconfig(server, before.authority.certificate, old)).ok());
    const Identity after = keep_all();
    EXPECT_TRUE(has_rsa_key(after.admin));
    EXPECT_EQ(read_certificate(after.admin.certificate)->common_name, "kubernetes-admin");
    EXPECT_EQ(after.authority, before.authority);
    EXPECT_TRUE(is_signed_by(old.certificate, after.authority.certificate));
    EXPECT_EQ(files.read("/data/kubeconfig", 1 << 20).value(),
              format_kubeconfig(server, after.authority.certificate, after.admin));
    EXPECT_EQ(keep_all(), after);
}

TEST_F(IdentityFilesTest, AKeyThatIsNotWantedAnyMoreIsNotMade) {
    given_up = true;
    const auto result = keep_admin(files, "/data", keep(), kNow, given_up);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Code::kCancelled);
    EXPECT_EQ(files.read("/data/pki/admin.pem", 1 << 20).error().code, Code::kNotFound);
}

TEST_F(IdentityFilesTest, CertificatesAreRenewedInTimeAndTheKeysThatOthersTrustStay) {
    const Identity first = keep_all();
    EXPECT_EQ(keep_all(first.renew_at - 1s), first);
    const Identity renewed = keep_all(first.renew_at);
    EXPECT_NE(renewed.serving.certificate, first.serving.certificate);
    EXPECT_NE(renewed.admin.certificate, first.admin.certificate);
    EXPECT_EQ(renewed.authority, first.authority);
    EXPECT_EQ(renewed.signing_keys, first.signing_keys);
    EXPECT_GT(renewed.renew_at, first.renew_at);
    const Identity much_later = keep(kNow + 8 * 8760h);
    EXPECT_NE(much_later.authority.certificate, first.authority.certificate);
    EXPECT_EQ(much_later.authority.key, first.authority.key);
}

TEST_F(IdentityFilesTest, WhatIsMadeAgainIsTold) {
    EXPECT_THAT(find_lost_identity(files, "/data").value(), testing::IsEmpty()) << "the first start";
    (void)keep_all();
    EXPECT_THAT(find_lost_identity(files, "/data").value(), testing::IsEmpty());
    struct Case {
        const char* file;
        const char* content;  // null: missing
        const char* told;     // null: nothing
    };
    for (const Case& one : std::initializer_list<Case>{{"ca.pem", nullptr, "ca.pem is missing: a new authority"},
                                                       {"ca.pem", "x", nullptr},
                                                       {"service-accounts.pem", nullptr, "is missing: a new key"},
                                                       {"server.pem", nullptr, nullptr},
                                                       {"server.pem", "", "server.pem is empty: another certificate"},
                                                       {"admin.pem", nullptr, nullptr},
                                                       {"admin.pem", "x", "admin.pem is damaged: another"}}) {
        SCOPED_TRACE(one.file);
        const std::string path = std::string("/data/pki/") + one.file;
        const std::string before = files.read(path, 1 << 20).value();
        ASSERT_TRUE((one.content ? files.replace(path, one.content, os::Access::kOnlyUs) : files.remove(path)).ok());
        const auto lost = find_lost_identity(files, "/data").value();
        ASSERT_EQ(lost.size(), one.told ? 1u : 0u);
        if (one.told) {
            EXPECT_THAT(lost[0], HasSubstr(one.told));
        }
        ASSERT_TRUE(files.replace(path, before, os::Access::kOnlyUs).ok());
    }
}

TEST_F(IdentityFilesTest, TheNextLookAtTheClockIsNeverFarAway) {
    EXPECT_EQ(until_next_look(kNow + 8760h, kNow), 10s) << "the wall clock may be set meanwhile";
    EXPECT_EQ(until_next_look(kNow + 3s, kNow), 3s);
    EXPECT_EQ(until_next_look(kNow - 8760h, kNow), 1s) << "renewing failed: not all the time";
}

TEST_F(IdentityFilesTest, WhatIsRenewedWhileServingIsInTheKubeconfigToo) {
    const Identity first = keep_all();
    const Identity renewed = keep_all(first.renew_at);
    ASSERT_NE(renewed.admin.certificate, first.admin.certificate);
    EXPECT_EQ(files.read("/data/kubeconfig", 1 << 20).value(),
              format_kubeconfig(server, renewed.authority.certificate, renewed.admin));
}

TEST_F(IdentityFilesTest, AServerThatIsCalledOtherwiseGetsAnotherCertificate) {
    const Identity first = keep();
    const Identity moved = keep_identity(files, "/data", {{"other"}, {}}, kNow).value();
    EXPECT_NE(moved.serving, first.serving);
    EXPECT_EQ(moved.authority, first.authority);
}

TEST_F(IdentityFilesTest, CertificatesOfALostAuthorityAreReplaced) {
    const Identity first = keep_all();
    ASSERT_TRUE(files.remove("/data/pki/ca.pem").ok());
    const Identity second = keep_all();
    EXPECT_NE(second.authority.key, first.authority.key);
    EXPECT_TRUE(is_signed_by(second.serving.certificate, second.authority.certificate));
    EXPECT_TRUE(is_signed_by(second.admin.certificate, second.authority.certificate));
}

TEST_F(IdentityFilesTest, ADamagedAuthorityOrSigningKeyIsAnErrorAndNeverReplaced) {
    struct Case {
        const char* name;
        std::string content;
        const char* message;
    };
    const Identity whole = keep();
    const std::string keys = whole.signing_keys;
    const Case cases[] = {
        {"/data/pki/ca.pem", "scribble", "ca.pem is damaged"},
        {"/data/pki/ca.pem", "", "ca.pem is empty"},
        {"/data/pki/ca.pem", "\n", "ca.pem is damaged"},
        {"/data/pki/ca.pem", whole.authority.certificate, "ca.pem is damaged"},
        {"/data/pki/ca.pem", whole.authority.key, "ca.pem is damaged"},
        {"/data/pki/service-accounts.pem", "scribble", "service-accounts.pem is damaged"},
        {"/data/pki/service-accounts.pem", "", "service-accounts.pem is empty"},
        {"/data/pki/service-accounts.pem", keys + keys.substr(0, keys.size() / 2), "service-accounts.pem is damaged"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(std::string(one.name) + ": " + one.content);
        const std::string content = files.read(one.name, 1 << 20).value();
        ASSERT_TRUE(files.replace(one.name, one.content, os::Access::kOnlyUs).ok());
        const auto result = try_keep();
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().code, Code::kCorrupt);
        EXPECT_THAT(result.error().message, HasSubstr(one.message));
        EXPECT_THAT(result.error().message, HasSubstr("restore it from a backup, or remove it to"));
        EXPECT_EQ(files.read(one.name, 1 << 20).value(), one.content);
        ASSERT_TRUE(files.replace(one.name, content, os::Access::kOnlyUs).ok());
        EXPECT_EQ(keep(), whole);
    }
}

// The authority can sign them again, and clients trust the authority.
TEST_F(IdentityFilesTest, ADamagedOrEmptyServingOrAdministratorsCertificateIsIssuedAgain) {
    const Identity first = keep();
    for (const std::string& content : {first.serving.certificate, std::string()}) {
        ASSERT_TRUE(files.replace("/data/pki/server.pem", content, os::Access::kOnlyUs).ok());
        ASSERT_TRUE(files.replace("/data/pki/admin.pem", content, os::Access::kOnlyUs).ok());
        EXPECT_TRUE(is_pair(keep().serving));
        EXPECT_TRUE(is_pair(keep_all().admin));
        EXPECT_EQ(keep().authority, first.authority);
    }
}

TEST_F(IdentityFilesTest, AFullDiskIsReportedAndTheNextStartGoesOn) {
    files.fail(os::FileStep::kWrite, ENOSPC);
    EXPECT_FALSE(try_keep().ok());
    EXPECT_TRUE(try_keep().ok());
}

TEST_F(IdentityFilesTest, TheKubeconfigHoldsAllThatAClientNeeds) {
    const Identity identity = keep_all();
    const std::string text =
        format_kubeconfig("https://127.0.0.1:6443", identity.authority.certificate, identity.admin);
    EXPECT_THAT(text, HasSubstr("server: \"https://127.0.0.1:6443\"\n"));
    EXPECT_THAT(text, HasSubstr("certificate-authority-data: LS0tLS1CRUdJTi"));
    EXPECT_THAT(text, HasSubstr("client-key-data: LS0tLS1CRUdJTi"));
    EXPECT_THAT(text, HasSubstr("current-context: muster\n"));
    ASSERT_TRUE(write_kubeconfig(files, "/data/kubeconfig", text).ok());
    // Nothing is written when nothing changes: a full disk would be noticed.
    files.fail(os::FileStep::kWrite, ENOSPC);
    EXPECT_TRUE(write_kubeconfig(files, "/data/kubeconfig", text).ok());
    EXPECT_FALSE(write_kubeconfig(files, "/data/kubeconfig", text + "\n").ok());
}

TEST(IdentityFilesOnDisk, OnlyWeCanReadThemAndTheFirstStartIsFast) {
    char pattern[] = "/tmp/muster-identity-XXXXXX";
    const std::string directory = ::mkdtemp(pattern);
    os::LinuxFiles files;
    const auto start = std::chrono::steady_clock::now();
    const Identity identity = keep_identity(files, directory, {}, kNow).value();
    const auto took = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(write_kubeconfig(files, directory + "/kubeconfig", "x").ok());
    RecordProperty("microseconds", std::to_string(took / std::chrono::microseconds(1)));
    const auto mode_of = [](const std::string& path) {
        struct stat status;
        EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
        return status.st_mode & 07777;
    };
    EXPECT_EQ(mode_of(directory + "/pki"), 0700u);
    for (const auto& file : std::filesystem::directory_iterator(directory + "/pki"))
        EXPECT_EQ(mode_of(file.path()), 0600u) << file.path();
    EXPECT_EQ(mode_of(directory + "/kubeconfig"), 0600u);
    std::filesystem::remove_all(directory);
}

}  // namespace identity_files_test
}  // namespace muster::server
