"""TLS in front of a server of this machine: takes it off and passes on the bytes.

    tls_front.py PORT FOLDER

PORT is that of the server behind. Makes a certificate authority, whose certificate it puts into FOLDER/ca.pem, and by it a
certificate for 127.0.0.1. Says `port N` once it listens, on a port of this machine that is free.
"""

import datetime
import ipaddress
import socket
import ssl
import sys
import threading
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(subject, key, issuer, issuer_key, extensions):
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
    )
    for extension, is_critical in extensions:
        builder = builder.add_extension(extension, critical=is_critical)
    return builder.sign(issuer_key, hashes.SHA256())


def make(folder):
    """The paths of the server's certificate and key."""
    authority, authority_key = name("an authority of tests"), ec.generate_private_key(ec.SECP256R1())
    usage = dict.fromkeys(
        "digital_signature content_commitment key_encipherment data_encipherment key_agreement crl_sign encipher_only "
        "decipher_only".split(),
        False,
    )
    extensions = [
        (x509.BasicConstraints(ca=True, path_length=0), True),
        (x509.KeyUsage(key_cert_sign=True, **usage), True),
    ]
    ca = certificate(authority, authority_key, authority, authority_key, extensions)
    key = ec.generate_private_key(ec.SECP256R1())
    extensions = [
        (x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False),
        (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
    ]
    server = certificate(name("a server of tests"), key, authority, authority_key, extensions)
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(ca.public_bytes(pem))
    (folder / "server.pem").write_bytes(server.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "server.key").write_bytes(private)
    return folder / "server.pem", folder / "server.key"


def copy(source, to):
    try:
        while data := source.recv(1 << 16):
            to.sendall(data)
    except OSError:
        pass  # either side went away
    finally:
        # No more comes of this direction, and what waits for it is to know.
        for end in (source, to):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def relay(plain, context, port):
    try:
        client = context.wrap_socket(plain, server_side=True)
    except OSError:
        return  # it does not trust us, or speaks no TLS
    server = socket.create_connection(("127.0.0.1", port))
    back = threading.Thread(target=copy, args=(server, client), daemon=True)
    back.start()
    copy(client, server)
    back.join()
    client.close()
    server.close()


def main():
    port, folder = int(sys.argv[1]), Path(sys.argv[2])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*make(folder))
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(f"port {listener.getsockname()[1]}", flush=True)
    while True:
        plain, _ = listener.accept()
        threading.Thread(target=relay, args=(plain, context, port), daemon=True).start()


main()
