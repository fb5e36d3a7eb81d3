//! Codes about fetching cards and key sets.

use countersign_keys::declare_codes;

declare_codes! {
    FETCH_CACHE_HEADERS = "fetch.cache-headers" {
        what: "The response with the card has no lifetime, no `ETag`, an `ETag` that stays while the card changes, or the content type of something else.",
        why: "A2A §8.6.1: clients then ask for the whole card again and again, or keep an old one.",
        example: "a card served without `Cache-Control`",
        instead: "Send `Cache-Control: max-age=300`, an `ETag` made of the octets of the card, and `Content-Type: application/json`.",
    }
    FETCH_WELL_KNOWN_LOCATION = "fetch.well-known-location" {
        what: "The card is at the path that was used before A2A 0.3.",
        why: "A2A §8.2 and §14.3: clients look at `/.well-known/agent-card.json`; a card at the old path is found by old clients only, and often is another one.",
        example: "https://agents.example/.well-known/agent.json",
        instead: "Serve the card at `/.well-known/agent-card.json`.",
    }
    FETCH_OFFLINE = "fetch.offline" {
        what: "A document would have to be fetched, and the client was told not to use the network.",
        why: "It is not remembered, or no longer fresh, so nothing can be said about it.",
        example: "`admit https://agents.example --offline` before the card was ever fetched",
        instead: "Run once without `--offline` and with `--cache DIR`, or give the card as a file with `--as URL`.",
    }
    FETCH_URL = "fetch.url" {
        what: "The text is no address that a card or a key set can be fetched from.",
        why: "Only an `https` URL of the strict profile is read alike by everybody; anything else would be a guess.",
        example: "http://agents.example/.well-known/agent-card.json",
        instead: "Give `https://host`, `https://host/agents/7`, or the whole URL of the card.",
    }
    FETCH_REQUEST = "fetch.request" {
        what: "A header of the request, such as the credential, has characters that HTTP cannot send.",
        why: "A line break in a header would be a header, or a request, of its own.",
        example: "a token that was read from a file with the line break at its end",
        instead: "Give the value without line breaks and other control characters.",
    }
    FETCH_ADDRESS = "fetch.address" {
        what: "The host is, or its name resolves to, an address that must not be reached. Nothing was connected.",
        why: "A name is the sender's choice: it may lead into the own network, or to the service that hands out credentials of the machine.",
        example: "cards.example resolves to 203.0.113.7 and 169.254.169.254",
        instead: "List the range in `networks` of `[fetch]` if the host is one of yours. Metadata services are never reached.",
    }
    FETCH_DNS = "fetch.dns" {
        what: "The host name does not resolve to an address.",
        why: "Nothing can be fetched; whether there is a card is not known.",
        example: "https://agents.exmaple",
        instead: "Check the spelling of the host and the name server of this machine.",
    }
    FETCH_UNREACHABLE = "fetch.unreachable" {
        what: "No connection could be made, or it was closed before the answer was complete.",
        why: "Half an answer is none; whether there is a card is not known.",
        example: "a server that sends 10 octets after `Content-Length: 20` and closes",
        instead: "Try again later; check the port and the firewall. A proxy of the environment is never used.",
    }
    FETCH_TLS = "fetch.tls" {
        what: "The TLS connection was refused: the certificate is not for this host, not valid now, or of an unknown authority, or the two sides do not agree.",
        why: "Without it anybody on the way could have written the answer.",
        example: "a certificate for `www.example` at `agents.example`",
        instead: "Have the server present a valid certificate, or give the authority of your own network.",
    }
    FETCH_TIMEOUT = "fetch.timeout" {
        what: "The whole answer did not arrive within `timeout` of `[fetch]`, name look-up and handshake included.",
        why: "A server that sends an octet now and then would hold the client for ever.",
        example: "a server that sends one octet of its header each second",
        instead: "Raise `timeout` if the server is honest and slow.",
    }
    FETCH_SIZE = "fetch.size" {
        what: "The answer, after decompression, or its header is larger than allowed.",
        why: "A few octets of gzip can stand for gigabytes; memory is not the sender's to fill.",
        example: "a card of 300 KiB where `max-octets = \"256KiB\"`",
        instead: "Shorten the card, or raise `max-octets` of `[fetch]`.",
    }
    FETCH_PROTOCOL = "fetch.protocol" {
        what: "The answer is not HTTP/1.1 as RFC 9112 defines it, or its compression is damaged.",
        why: "Where an answer ends must not be guessed.",
        example: "two different `Content-Length` headers",
        instead: "Repair the server or the gateway in front of it.",
    }
    FETCH_STATUS = "fetch.status" {
        what: "The status of the answer is not 200.",
        why: "The body of another status is a message about the request, not a card.",
        example: "404",
        instead: "Check the path. Without one, `/.well-known/agent-card.json` is asked for; older servers have `/.well-known/agent.json`.",
    }
    FETCH_REDIRECT = "fetch.redirect" {
        what: "The server names another URL. It was not fetched.",
        why: "A policy judges the URL that was asked for; whoever can write a redirect would choose the source of the card.",
        example: "302 with `Location: http://169.254.169.254/`",
        instead: "Ask for the URL itself, if it is where the card shall come from.",
    }
    FETCH_CONTENT_TYPE = "fetch.content-type" {
        what: "The content type is none of `content-types` of `[fetch]`, is absent, or names a character set other than UTF-8.",
        why: "Uploads and error pages served from a trusted host are not what the host publishes as its card.",
        example: "text/html",
        instead: "Serve the card as `application/json` or `application/a2a+json`.",
    }
    FETCH_CREDENTIALS = "fetch.credentials" {
        what: "The certificates or the key for TLS that were given cannot be used.",
        why: "Leaving them out would connect with less than what was asked for.",
        example: "a client certificate with the key of another",
        instead: "Give certificates in PEM, and the PKCS#8, SEC1 or PKCS#1 key that belongs to the first.",
    }
    FETCH_STORE = "fetch.store" {
        what: "Remembered responses could not be read or written.",
        why: "The answer is right all the same, but the next one has to be fetched again.",
        example: "a folder that others may write to",
        instead: "Give a folder that only this user can read and write, on a disk that has room.",
    }
}
