#include "os/testing/tls_certificates.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace muster::os {
namespace {

using Key = std::shared_ptr<EVP_PKEY>;
using Certificate = std::shared_ptr<X509>;

Key make_key() { return Key(EVP_EC_gen("P-256"), EVP_PKEY_free); }

std::string pem_of(X509* certificate) {
    const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), BIO_free);
    CHECK(PEM_write_bio_X509(bio.get(), certificate) == 1);
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}
std::string pem_of(EVP_PKEY* key) {
    const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), BIO_free);
    CHECK(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

void add_name(X509* certificate, const char* field, const std::string& value) {
    CHECK(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), field, MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(value.data()),
                                     static_cast<int>(value.size()), -1, 0) == 1);
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
    if (value.empty()) return;
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
    CHECK(extension, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

Certificate make_certificate(const CertificateWish& wish, EVP_PKEY* key, X509* issuer) {
    Certificate made(X509_new(), X509_free);
    X509_set_version(made.get(), 2);
    unsigned char serial[8];
    CHECK(RAND_bytes(serial, sizeof(serial)) == 1);
    serial[0] &= 0x7f;
    BIGNUM* number = BN_bin2bn(serial, sizeof(serial), nullptr);
    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(made.get()));
    BN_free(number);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), wish.valid_from / 1s);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), wish.valid_until / 1s);
    X509_set_pubkey(made.get(), key);
    for (const std::string& organization : wish.organizations) add_name(made.get(), "O", organization);
    add_name(made.get(), "CN", wish.common_name);
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer ? issuer : made.get()));
    return made;
}

}  // namespace

TestAuthority::TestAuthority(const std::string& common_name) : key_(make_key()) {
    CertificateWish wish;
    wish.common_name = common_name;
    signer_ = make_certificate(wish, key_.get(), nullptr);
    add_extension(signer_.get(), signer_.get(), NID_basic_constraints, "critical,CA:TRUE");
    add_extension(signer_.get(), signer_.get(), NID_key_usage, "critical,keyCertSign,digitalSignature");
    add_extension(signer_.get(), signer_.get(), NID_subject_key_identifier, "hash");
    CHECK(X509_sign(signer_.get(), key_.get(), EVP_sha256()) > 0);
    certificate_ = pem_of(signer_.get());
}

TlsIdentity TestAuthority::sign(const CertificateWish& wish) const {
    const Key key = make_key();
    const Certificate made = make_certificate(wish, key.get(), signer_.get());
    add_extension(made.get(), signer_.get(), NID_subject_alt_name, wish.alternative_names);
    add_extension(made.get(), signer_.get(), NID_ext_key_usage, wish.extended_usage);
    CHECK(X509_sign(made.get(), key_.get(), EVP_sha256()) > 0);
    return {.certificate_chain = pem_of(made.get()), .key = pem_of(key.get())};
}

TlsIdentity TestAuthority::sign_server() const {
    CertificateWish wish;
    wish.common_name = "server";
    wish.alternative_names = "DNS:localhost,IP:127.0.0.1,IP:::1";
    wish.extended_usage = "serverAuth";
    return sign(wish);
}

TlsIdentity TestAuthority::sign_client(const std::string& user, const std::vector<std::string>& groups) const {
    CertificateWish wish;
    wish.common_name = user;
    wish.organizations = groups;
    wish.extended_usage = "clientAuth";
    return sign(wish);
}

}  // namespace muster::os
