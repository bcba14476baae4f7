# SPDX-License-Identifier: MIT
# Threads and forked processes draw by SecureRandom, Random and OpenSSL. Prints nothing random.
require 'securerandom'
require 'openssl'
require 'digest'
EACH = 1000

def draw
  (1..EACH).flat_map do
    [SecureRandom.uuid.delete('-'), SecureRandom.hex(16), Random.urandom(16).unpack1('H*'),
     OpenSSL::Random.random_bytes(16).unpack1('H*')]
  end
end

all = draw
threads = 4.times.map { Thread.new { draw } }
pipes = 6.times.map do
  reader, writer = IO.pipe
  fork do
    reader.close
    writer.write(draw.join("\n"))
    writer.close
    exit!(0)
  end
  writer.close
  reader
end
pipes.each { |p| all.concat(p.read.split("\n")) }
statuses = Process.waitall.map { |_, s| s.exitstatus }
threads.each { |t| all.concat(t.value) }
puts "#{all.size} drawn, #{all.uniq.size} distinct, #{all.count { |s| s =~ /\A\h{32}\z/ }} right"
p statuses, Random.new(5).rand(1000), [3, 1, 2].shuffle(random: Random.new(1))
key = OpenSSL::PKey::EC.generate('prime256v1')
p key.dsa_verify_asn1(Digest::SHA256.digest('a'), key.dsa_sign_asn1(Digest::SHA256.digest('a')))
