#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's PHP behind nginx, both preloaded: random_bytes and random_int never repeat over the
# workers, which are forks of one master, other pages are what they are plain, and SIGUSR2 makes the
# master execute itself again, as it does plain.
#
#   tests/servers/php-fpm.sh BUILDDIR     status 0 pass, 1 fail, 77 something is not installed
#
# shellcheck disable=SC2317 # until_true and start_on_free_port call what they are given

set -uo pipefail
# shellcheck source=tests/servers/lib/ways.sh
. "$(dirname "$0")/lib/ways.sh"
need_programs php-fpm8.2 nginx curl
draws=400 each=20

write_files() {
    mkdir -p "$home/www"
    cat >"$home/www/draw.php" <<END
<?php
for (\$i = 0; \$i < $each; \$i++)
    echo getmypid(), ' ', bin2hex(random_bytes(12)), sprintf('%08x', random_int(0, 0xffffffff)), "\n";
END
    cat >"$home/www/fixed.php" <<'END'
<?php
mt_srand(7);
$n = (int) $_GET['n'];
$a = range(1, $n);
shuffle($a);
echo $n, ' ', array_sum($a), ' ', hash('sha256', implode(',', $a)), ' ', strrev(md5((string) $n)), "\n";
echo preg_match('/^\d+$/', (string) $n), ' ', strlen(serialize($a)), ' ', crc32(json_encode($a)), "\n";
END
    {
        printf '[global]\nerror_log = %s/fpm.log\npid = %s/fpm\ndaemonize = no\n' "$home" "$home"
        printf '[www]\nlisten = %s/socket\npm = static\npm.max_children = 3\n' "$home"
        # Recycled workers are new forks.
        printf 'pm.max_requests = 40\n'
        ((EUID)) || printf 'user = nobody\ngroup = nogroup\nlisten.owner = nobody\n'
    } >"$home/fpm.conf"
}

write_nginx_config() {
    {
        printf 'daemon off;\nworker_processes 2;\npid %s/nginx;\nerror_log %s/error.log;\n' "$home" "$home"
        ((EUID)) || printf 'user nobody nogroup;\n'
        cat <<END
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path $home; proxy_temp_path $home; fastcgi_temp_path $home;
    uwsgi_temp_path $home; scgi_temp_path $home;
    server {
        listen 127.0.0.1:$1;
        root $home/www;
        location / {
            include /etc/nginx/fastcgi_params;
            fastcgi_param SCRIPT_FILENAME \$document_root\$fastcgi_script_name;
            fastcgi_pass unix:$home/socket;
        }
    }
}
END
    } >"$home/nginx.conf"
}

run_nginx() {
    write_nginx_config "$1"
    in_background env "${settings[@]}" nginx -p "$home" -e "$home/error.log" -c "$home/nginx.conf" \
        >"$server_log" 2>&1
}

ready_times() { [[ $(grep -cs 'ready to handle connections' "$home/fpm.log") == "$1" ]]; }

get() { curl -sS --no-progress-meter --max-time 20 -Z --parallel-max 6 "http://127.0.0.1:$server_port/$1" 2>>"$home/same/curl"; }

# Without times, process numbers, the run's own directory, and the coming and going of workers.
without_chance() {
    sed -E "s|$home||g; s/^\\[[^]]*\\] //; s/[0-9]+/N/g" "$@" | grep -v 'child N ' | sort -u
}

live() {
    local nginx
    chmod 755 "$home"
    write_files
    server_log=$home/fpm.said
    in_background env "${settings[@]}" php-fpm8.2 -n -F -y "$home/fpm.conf" >"$server_log" 2>&1
    fpm=${live[-1]}
    until_true "$way: PHP is ready" ready_times 1
    server_log=$home/nginx.said
    start_on_free_port "nginx ($way)" run_nginx "$home/error.log"
    nginx=$server_pid
    get "draw.php?[1-$((draws / 2))]" >"$home/draws"
    take_stock "$fpm"
    kill -USR2 "$fpm"
    until_true "$way: PHP executed itself again" ready_times 2
    get "draw.php?[1-$((draws / 2))]" >>"$home/draws"
    get "fixed.php?n=[1-200]" | sort >"$home/same/fixed"
    cut -d' ' -f2 "$home/draws" >"$home/values"
    all_distinct "$home/values" '^[0-9a-f]{32}$' $((draws * each))
    take_stock "$fpm"
    take_stock "$nginx"
    server_pid=$nginx
    stop_with QUIT 0
    server_pid=$fpm
    stop_with QUIT 0
    without_chance "$home/fpm.log" >"$home/same/log"
    without_chance "$home/fpm.said" "$home/nginx.said" "$home/error.log" >"$home/same/said"
}

begin_test "$@"
in_all_ways live
took getrandom_calls getentropy_calls syscall_calls
tell php-fpm $((draws + 200))
