# Signs with a key that never leaves its PKCS#11 token, through OpenSC's `pkcs11-tool`. The arguments are the module of
# the token, the label of the token, the id of the key in hex, and for ECDSA how the signature is written: `rs` (r and
# s, the default) or `openssl` (DER). The PIN is in the environment variable CARD_PIN, so that it is in no command line:
#
#     countersign sign card.json --public public.pem -o signed.json \
#         --signer "sh pkcs11-sign.sh /usr/lib/softhsm/libsofthsm2.so cards 01"
#
# The public key of the token, as PEM:
#
#     pkcs11-tool --module MODULE --token-label LABEL --read-object --type pubkey --id 01 |
#         openssl pkey -pubin -out public.pem
set -eu
: "${CARD_PIN:?there is no PIN in this variable}"
module=$1 token=$2 key=$3 written=${4:-rs}
request=$(cat)

# The text of a member of the request.
member() {
    printf '%s' "$request" | sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'
}

# The octets of a member in base64url.
octets() {
    text=$(member "$1" | tr '_-' '/+')
    while [ $((${#text} % 4)) -ne 0 ]; do text="$text="; done
    printf '%s' "$text" | openssl base64 -d -A
}

# ECDSA and PSS sign the digest, the others the signing input.
case $(member alg) in
ES256 | ES384 | ES512) input=digest && set -- ECDSA --signature-format "$written" ;;
PS256) input=digest && set -- RSA-PKCS-PSS --hash-algorithm SHA256 --mgf MGF1-SHA256 --salt-len 32 ;;
RS256) input=signing_input && set -- SHA256-RSA-PKCS ;;
EdDSA | Ed25519) input=signing_input && set -- EDDSA ;;
*) echo "no mechanism is known for this algorithm" >&2 && exit 2 ;;
esac

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
octets "$input" | pkcs11-tool --module "$module" --token-label "$token" --login --pin env:CARD_PIN --id "$key" \
    --sign --mechanism "$@" --output-file "$answer" >&2
printf '{"signature":"%s"}\n' "$(openssl base64 -A -in "$answer" | tr '/+' '_-' | tr -d '=')"
