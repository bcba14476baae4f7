#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's nginx and Apache (event MPM) with TLS, preloaded: no handshake of TLS 1.2 or 1.3 fails
# (nginx resumes all), also while workers are replaced by a reload or a graceful restart, and the
# logs say what they say plain.
# waits
#
#   tests/servers/web-tls.sh BUILDDIR     status 0 pass, 1 fail, 77 something is not installed
#
# shellcheck disable=SC2317 # start_on_free_port calls what it is given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs nginx apache2 openssl
modules=/usr/lib/apache2/modules
count=300 restarts=3

nginx_config() {
    printf 'daemon off;\nworker_processes 2;\npid %s/pid;\nerror_log %s/error.log warn;\n' "$home" "$home"
    ((EUID)) || printf 'user nobody nogroup;\n'
    cat <<END
events { worker_connections 128; }
http {
    access_log off;
    client_body_temp_path $home; proxy_temp_path $home; fastcgi_temp_path $home;
    uwsgi_temp_path $home; scgi_temp_path $home;
    ssl_certificate $dir/site.pem; ssl_certificate_key $dir/site.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:s:2m; ssl_session_ticket_key $dir/tickets;
    server { listen 127.0.0.1:$1 ssl; location / { return 200 "served\n"; } }
}
END
}

apache_config() {
    printf 'LoadModule %s_module %s/mod_%s.so\n' mpm_event $modules mpm_event authz_core $modules authz_core dir $modules dir \
        ssl $modules ssl socache_shmcb $modules socache_shmcb
    ((EUID)) || printf 'User nobody\nGroup nogroup\n'
    cat <<END
ServerName localhost
Listen 127.0.0.1:$1
ServerRoot $home
PidFile $home/pid
ErrorLog $home/error.log
DocumentRoot $home/www
DefaultRuntimeDir $home
Mutex default:$home
StartServers 2
ServerLimit 2
ThreadsPerChild 8
ThreadLimit 8
MinSpareThreads 8
MaxSpareThreads 16
MaxRequestWorkers 16
SSLEngine on
SSLCertificateFile $dir/site.pem
SSLSessionCache shmcb:$home/cache(512000)
SSLSessionTicketKeyFile $dir/tickets48
END
}

run_nginx() {
    nginx_config "$1" >"$home/config"
    in_background env "${settings[@]}" nginx -p "$home" -e "$home/error.log" -c "$home/config" \
        >"$server_log" 2>&1
}

run_apache() {
    apache_config "$1" >"$home/config"
    in_background env "${settings[@]}" apache2 -D FOREGROUND -f "$home/config" >"$server_log" 2>&1
}

shake_hands() {
    local line
    line=$("$build/bench/tlsload" "-$1" -c 8 -n $count 127.0.0.1 "$server_port" 2>&1)
    # Two children of Apache do not know each other's sessions of TLS 1.3.
    [[ $line =~ ^handshakes=$count\ resumed=([0-9]+)\ full=[0-9]+\ failed=0\  ]] ||
        die "$way: $count handshakes of TLS 1.$1, none to fail: $line"
    [[ $server == apache* ]] || ((BASH_REMATCH[1] == count)) ||
        die "$way: $count handshakes of TLS 1.$1, all to be resumed: $line"
}

workers() { ps -o pid= --ppid "$server_pid" | tr -d ' ' | sort -n; }
replaced() {
    local now
    now=$(workers)
    [[ $now && -z $(comm -12 <(echo "$1") <(echo "$now")) ]]
}

# NAME SIGNAL-TO-REPLACE SIGNAL-TO-STOP
live() {
    local i old
    mkdir -p "$home/www"
    chmod 755 "$home" "$home/www"
    echo served >"$home/www/index.html"
    server_log=$home/said
    start_on_free_port "$1 ($way)" "run_$1" "$home/error.log"
    shake_hands 2
    shake_hands 3
    take_stock "$server_pid"
    for ((i = 0; i < restarts; i++)); do
        old=$(workers)
        kill -"$2" "$server_pid"
        shake_hands 3
        until_true "$way: new workers of $1" replaced "$old"
    done
    shake_hands 2
    take_stock "$server_pid"
    stop_with "$3" 0
    sed -E "s|$home||g; s|^[0-9/]+ [0-9:]+ ||; s/^\[[^]]*\] //; s/\[pid [^]]*\] //; s/[0-9]+/N/g" \
        "$home/error.log" "$home/said" 2>/dev/null | sort -u >"$home/same/log"
}

begin_test "$@"
[[ -e $build/bench/tlsload ]] || die "$build/bench/tlsload is not built"
make_certificate
head -c 80 /dev/urandom >"$dir/tickets"
head -c 48 /dev/urandom >"$dir/tickets48"
for server in 'nginx HUP QUIT' 'apache USR1 WINCH'; do
    rm -rf "$dir"/{plain,drbg,vdso}
    # shellcheck disable=SC2086 # three words
    in_all_ways live $server
    took lock_read_fast lock_read_glibc
    tell "${server%% *}, TLS" $(((restarts + 3) * count))
done
