#include "server/identity/certificate_authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/codec/base64.h"
#include "base/ascii.h"
#include "base/check.h"

namespace muster::server {
namespace certificate_authority_test {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

const Instant kNow = Instant::from_unix_seconds(1'700'000'000);

struct CertificateAuthorityTest : testing::Test {
    const Certificate authority = make_authority("test-ca", kNow);
    Certificate client(std::string_view user, std::vector<std::string> groups = {}) {
        return issue_client_certificate(authority, user, groups, kNow).value();
    }
};

TEST_F(CertificateAuthorityTest, AnAuthorityIsOneAndLastsTenYears) {
    const CertificateFacts facts = read_certificate(authority.certificate).value();
    EXPECT_EQ(facts.common_name, "test-ca");
    EXPECT_TRUE(facts.is_authority);
    EXPECT_EQ(facts.not_after, kNow + kAuthorityLife);
    EXPECT_LT(facts.not_before, kNow);
    EXPECT_TRUE(is_pair(authority));
    EXPECT_TRUE(is_signed_by(authority.certificate, authority.certificate));
}

TEST_F(CertificateAuthorityTest, AClientsSubjectIsTheUserAndTheGroups) {
    const Certificate ann = client("ann", {"dev", "system:masters"});
    const CertificateFacts facts = read_certificate(ann.certificate).value();
    EXPECT_EQ(facts.common_name, "ann");
    EXPECT_THAT(facts.organizations, ElementsAre("dev", "system:masters"));
    EXPECT_FALSE(facts.is_authority);
    EXPECT_TRUE(is_pair(ann));
    EXPECT_TRUE(is_signed_by(ann.certificate, authority.certificate));
}

TEST_F(CertificateAuthorityTest, AServingCertificateHasTheNamesThatPodsAndPeopleUse) {
    const ServingNames names{{"Node-1.example", "bad,DNS:evil.example"}, {"10.1.2.3", "fd00::5", "10.1.2.3/8"}};
    const Certificate serving = issue_serving_certificate(authority, names, kNow).value();
    const auto has = read_certificate(serving.certificate).value().alternative_names;
    for (const char* name : {"DNS:localhost", "DNS:kubernetes", "DNS:kubernetes.default", "DNS:kubernetes.default.svc",
                             "DNS:kubernetes.default.svc.cluster.local", "DNS:node-1.example", "IP:127.0.0.1",
                             "IP:10.1.2.3", "IP:0:0:0:0:0:0:0:1", "IP:fd00:0:0:0:0:0:0:5"})
        EXPECT_THAT(has, Contains(name));
    EXPECT_THAT(has, Not(Contains("DNS:evil.example")));
    EXPECT_EQ(has.size(), 10u);
    EXPECT_TRUE(has_names(serving.certificate, names));
    EXPECT_FALSE(has_names(serving.certificate, {{"node-2.example"}, {}}));
    EXPECT_FALSE(has_names(serving.certificate, {{}, {"10.9.9.9"}}));
}

TEST_F(CertificateAuthorityTest, ACertificateIsRenewedWhenAThirdOfItsLifeIsLeft) {
    const Certificate ann = client("ann");
    struct Case {
        const char* name;
        Duration after;
        bool renewed;
    };
    const Case cases[] = {{"just made", 0s, false},
                          {"half of it gone", kCertificateLife / 2, false},
                          {"just before two thirds", kCertificateLife * 2 / 3 - 1h, false},
                          {"two thirds gone", kCertificateLife * 2 / 3 + 1h, true},
                          {"expired", kCertificateLife + 1h, true},
                          {"not valid yet, as the clock went back", -1h, true}};
    for (const Case& c : cases) EXPECT_EQ(needs_renewal(ann.certificate, kNow + c.after), c.renewed) << c.name;
    EXPECT_TRUE(needs_renewal("garbage", kNow));
}

TEST_F(CertificateAuthorityTest, ARenewedAuthorityStillStandsForWhatItSigned) {
    const Certificate ann = client("ann");
    const Instant later = kNow + 8 * 8760h;
    const Certificate renewed = renew_authority(authority, later).value();
    EXPECT_EQ(renewed.key, authority.key);
    EXPECT_EQ(read_certificate(renewed.certificate)->not_after, later + kAuthorityLife);
    EXPECT_TRUE(is_signed_by(ann.certificate, renewed.certificate));
    const Certificate bob = issue_client_certificate(renewed, "bob", {}, later).value();
    EXPECT_TRUE(is_signed_by(bob.certificate, authority.certificate));
}

TEST_F(CertificateAuthorityTest, AnotherAuthorityOfTheSameNameSignedNothingOfOurs) {
    const Certificate impostor = make_authority("test-ca", kNow);
    EXPECT_FALSE(is_signed_by(client("ann").certificate, impostor.certificate));
    EXPECT_FALSE(is_pair({authority.certificate, impostor.key}));
}

TEST_F(CertificateAuthorityTest, OnlyAnAuthorityIssues) {
    const auto result = issue_client_certificate(client("ann"), "bob", {}, kNow);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Code::kInvalid);
    EXPECT_FALSE(issue_client_certificate({"", ""}, "bob", {}, kNow).ok());
}

TEST_F(CertificateAuthorityTest, ANameTooLongForACertificateIsRefused) {
    const auto result = issue_client_certificate(authority, std::string(65, 'x'), {}, kNow);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Code::kInvalid);
}

// The same PEM with other bytes in it.
template <class Change>
std::string damage_pem(const std::string& pem, Change change) {
    const std::size_t begin = pem.find('\n') + 1;
    const std::size_t end = pem.find("-----END");
    std::string text = pem.substr(begin, end - begin);
    std::erase(text, '\n');
    std::string bytes;
    CHECK(api::decode_base64(text, bytes));
    change(bytes);
    std::string damaged;
    api::append_base64(bytes, damaged);
    for (std::size_t at = 64; at < damaged.size(); at += 65) damaged.insert(at, "\n");
    return pem.substr(0, begin) + damaged + "\n" + pem.substr(end);
}

// A file may be damaged anywhere and still be a certificate to OpenSSL.
TEST_F(CertificateAuthorityTest, ATimeThatIsNoneMakesTheCertificateUnreadable) {
    const std::string damaged = damage_pem(authority.certificate, [](std::string& bytes) {
        constexpr std::size_t kDigits = 12;
        std::size_t end = bytes.find('Z');
        while (end != std::string::npos &&
               (end < kDigits || !std::all_of(&bytes[end - kDigits], &bytes[end], is_digit)))
            end = bytes.find('Z', end + 1);
        ASSERT_NE(end, std::string::npos);
        bytes[end - kDigits] = 'x';
    });
    EXPECT_FALSE(read_certificate(damaged).ok());
    EXPECT_TRUE(needs_renewal(damaged, kNow));
}

TEST_F(CertificateAuthorityTest, APrivateKeyThatDoesNotBelongToItsPublicKeyIsDamaged) {
    constexpr std::size_t kPrivatePart = 36;  // of a P-256 key in PKCS#8: 32 bytes
    Certificate damaged = authority;
    EXPECT_TRUE(is_pair(damaged));
    damaged.key = damage_pem(authority.key, [](std::string& bytes) { bytes[kPrivatePart + 9] ^= 1; });
    EXPECT_FALSE(is_pair(damaged));
    EXPECT_FALSE(renew_authority(damaged, kNow).ok());
}

}  // namespace certificate_authority_test
}  // namespace muster::server
