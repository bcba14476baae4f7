// SPDX-License-Identifier: MIT
// Owns the tables of the x86-64 instruction set's lengths: one letter for each opcode says what
// follows it.
#include "insn.h"

#include <errno.h>
#include <string.h>

#include "poison.h"

const uint8_t uc_insn_argument[UC_INSN_ARGUMENTS] = {7, 6, 2, 1, 8, 9};

// .  nothing            m  ModRM                  M  ModRM and 8 bits      Z  ModRM and 16/32 bits
// b  8 bits             w  16 bits                z  16 or 32 bits         v  16, 32 or 64 bits
// r  8-bit distance     R  32-bit distance        a  an address            E  16 and 8 bits
// g  ModRM, 8 bits for reg 0 and 1                G  ModRM, 16/32 bits for reg 0 and 1
// p  a prefix           e  leads to other tables  x  not an instruction, or not known here
static const char one_byte[256 + 1] = "mmmmbzxxmmmmbzxe"  // 00
                                      "mmmmbzxxmmmmbzxx"  // 10
                                      "mmmmbzpxmmmmbzpx"  // 20
                                      "mmmmbzpxmmmmbzpx"  // 30
                                      "pppppppppppppppp"  // 40
                                      "................"  // 50
                                      "xxemppppzZbM...."  // 60
                                      "rrrrrrrrrrrrrrrr"  // 70
                                      "MZxMmmmmmmmmmmmm"  // 80
                                      "..........x....."  // 90
                                      "aaaa....bz......"  // a0
                                      "bbbbbbbbvvvvvvvv"  // b0
                                      "MMw.eeMZE.w..bx."  // c0
                                      "mmmmxxx.mmmmmmmm"  // d0
                                      "rrrrbbbbRRxr...."  // e0
                                      "p.pp..gG......mm"; // f0

static const char after_0f[256 + 1] = "mmmmx.....x.xm.M"  // 00
                                      "mmmmmmmmmmmmmmmm"  // 10
                                      "xxxxxxxxmmmmmmmm"  // 20
                                      "......x.exexxxxx"  // 30
                                      "mmmmmmmmmmmmmmmm"  // 40
                                      "mmmmmmmmmmmmmmmm"  // 50
                                      "mmmmmmmmmmmmmmmm"  // 60
                                      "MMMMmmm.xxxxmmmm"  // 70
                                      "RRRRRRRRRRRRRRRR"  // 80
                                      "mmmmmmmmmmmmmmmm"  // 90
                                      "...mMmxx...mMmmm"  // a0
                                      "mmmmmmmmmmMmmmmm"  // b0
                                      "mmMmMMMm........"  // c0
                                      "mmmmmmmmmmmmmmmm"  // d0
                                      "mmmmmmmmmmmmmmmm"  // e0
                                      "mmmmmmmmmmmmmmmm"; // f0

// What is being read.
struct reader {
    const uint8_t *code;
    size_t room, at;
    struct uc_insn *insn;
    uint8_t rex;
    bool narrow;        // 66: operands of 16 bits
    bool short_address; // 67
    uint8_t mod;
};

static int next(struct reader *r)
{
    if (r->at >= UC_INSN_LONGEST)
        return -EILSEQ;
    return r->at < r->room ? r->code[r->at++] : -ENODATA;
}

// n bytes, little-endian, sign-extended.
static int number(struct reader *r, unsigned n, int64_t *value)
{
    uint64_t v = 0;
    *value = 0;
    for (unsigned i = 0; i < n; i++) {
        int byte = next(r);
        if (byte < 0)
            return byte;
        v |= (uint64_t)byte << (8 * i);
    }
    unsigned unused = 64 - 8 * n;
    if (n)
        *value = (int64_t)(v << unused) >> unused;
    return 0;
}

static bool is_rex(int byte)
{
    return (byte & 0xf0) == 0x40;
}

// Prefixes, up to the first byte of the opcode, which is returned.
static int prefixes(struct reader *r)
{
    for (;;) {
        int byte = next(r);
        if (byte < 0 || one_byte[byte] != 'p')
            return byte;
        // A REX that is not the last prefix counts for nothing.
        r->rex = is_rex(byte) ? (uint8_t)byte : 0;
        r->narrow |= byte == 0x66;
        r->short_address |= byte == 0x67;
        r->insn->lock |= byte == 0xf0;
    }
}

// The byte that follows ModRM where one register number is not enough. Returns it.
static int scaled_index(struct reader *r)
{
    int sib = next(r);
    if (sib < 0)
        return sib;
    bool no_base = r->mod == 0 && (sib & 7) == 5;
    uint8_t index = (uint8_t)((sib >> 3 & 7) | (r->rex & 2 ? 8 : 0));
    r->insn->index = index == UC_INSN_RSP ? UC_INSN_NO_BASE : index;
    r->insn->base = no_base ? UC_INSN_NO_BASE : (uint8_t)((sib & 7) | (r->rex & 1 ? 8 : 0));
    return sib;
}

static int modrm(struct reader *r)
{
    struct uc_insn *i = r->insn;
    int byte = next(r);
    if (byte < 0)
        return byte;
    i->modrm = true;
    i->reg = (uint8_t)((byte >> 3 & 7) | (r->rex & 4 ? 8 : 0));
    r->mod = (uint8_t)(byte >> 6);
    uint8_t rm = byte & 7;
    i->rm = (uint8_t)(rm | (r->rex & 1 ? 8 : 0));
    i->memory = r->mod != 3;
    if (!i->memory)
        return 0;
    unsigned displacement = r->mod == 1 ? 1 : r->mod == 2 ? 4 : 0;
    i->base = i->rm;
    if (rm == 4) {
        int sib = scaled_index(r);
        if (sib < 0)
            return sib;
        if (i->base == UC_INSN_NO_BASE)
            displacement = 4;
    } else if (r->mod == 0 && rm == 5) {
        i->base = UC_INSN_NO_BASE;
        displacement = 4;
        i->refers = true;
    }
    int64_t value;
    int e = number(r, displacement, &value);
    if (i->refers)
        i->reference = value; // from the instruction's end, which is not known yet
    else
        i->displacement = (int32_t)value;
    return e;
}

static unsigned word_size(const struct reader *r)
{
    return r->narrow && !(r->rex & 8) ? 2 : 4;
}

// What follows an opcode whose letter is given.
static int operands(struct reader *r, char letter)
{
    struct uc_insn *i = r->insn;
    int e = 0;
    unsigned immediate = 0;
    if (strchr("mMZgG", letter))
        e = modrm(r);
    if (e < 0)
        return e;
    switch (letter) {
    case 'M':
    case 'b':
        immediate = 1;
        break;
    case 'Z':
    case 'z':
        immediate = word_size(r);
        break;
    case 'g':
        immediate = (i->reg & 7) < 2 ? 1 : 0;
        break;
    case 'G':
        immediate = (i->reg & 7) < 2 ? word_size(r) : 0;
        break;
    case 'v':
        immediate = r->rex & 8 ? 8 : word_size(r);
        break;
    case 'a':
        immediate = r->short_address ? 4 : 8;
        break;
    case 'w':
        immediate = 2;
        break;
    case 'E':
        immediate = 3;
        break;
    case 'r':
    case 'R':
        // Intel's CPUs read 32 bits here, AMD's 16.
        if (letter == 'R' && word_size(r) == 2)
            return -EILSEQ;
        i->refers = true;
        return number(r, letter == 'r' ? 1 : 4, &i->reference);
    case 'x':
    case 'p':
    case 'e':
        return -EILSEQ;
    default:
        break;
    }
    return number(r, immediate, &i->immediate);
}

// VEX, two or three bytes, and EVEX: where the opcode's table is, then as with the legacy opcodes.
static int vector(struct reader *r, int lead)
{
    unsigned payload = lead == 0xc5 ? 1 : lead == 0xc4 ? 2 : 3;
    unsigned table = 1;
    if (r->rex)
        return -EILSEQ;
    for (unsigned n = 0; n < payload; n++) {
        int byte = next(r);
        if (byte < 0)
            return byte;
        if (n == 0 && lead != 0xc5)
            table = (unsigned)byte & (lead == 0xc4 ? 0x1f : 7);
    }
    int opcode = next(r);
    if (opcode < 0)
        return opcode;
    r->insn->map = UC_INSN_VECTOR;
    r->insn->opcode = (uint8_t)opcode;
    switch (table) {
    case 1: {
        char letter = after_0f[opcode];
        bool bare = opcode == 0x77 && lead != 0x62; // vzeroupper
        return bare ? 0 : operands(r, letter == 'M' ? 'M' : 'm');
    }
    case 2:
    case 5: // half-precision floats, EVEX alone
    case 6:
        return table > 2 && lead != 0x62 ? -EILSEQ : operands(r, 'm');
    case 3:
        return operands(r, 'M');
    default:
        return -EILSEQ;
    }
}

static int escaped(struct reader *r)
{
    struct uc_insn *i = r->insn;
    int opcode = next(r);
    if (opcode < 0)
        return opcode;
    i->map = UC_INSN_0F;
    char letter = after_0f[opcode];
    if (letter == 'e') {
        i->map = opcode == 0x38 ? UC_INSN_0F38 : UC_INSN_0F3A;
        letter = opcode == 0x38 ? 'm' : 'M';
        opcode = next(r);
        if (opcode < 0)
            return opcode;
    }
    i->opcode = (uint8_t)opcode;
    return operands(r, letter);
}

static uint8_t kind_of_ff(const struct reader *r)
{
    switch (r->insn->reg & 7) {
    case 2:
    case 3:
        return UC_INSN_CALL;
    case 4:
        return r->insn->refers ? UC_INSN_JUMP : UC_INSN_INDIRECT;
    case 5:
        return UC_INSN_INDIRECT;
    default:
        return UC_INSN_PLAIN;
    }
}

static uint8_t kind_of(const struct reader *r)
{
    uint8_t o = r->insn->opcode;
    if (r->insn->map == UC_INSN_0F)
        return (o & 0xf0) == 0x80 ? UC_INSN_BRANCH : o == 0x0b ? UC_INSN_TRAP : UC_INSN_PLAIN;
    if (r->insn->map != UC_INSN_ONE_BYTE)
        return UC_INSN_PLAIN;
    if ((o & 0xf0) == 0x70 || (o & 0xfc) == 0xe0)
        return UC_INSN_BRANCH;
    switch (o) {
    case 0xe8:
        return UC_INSN_CALL;
    case 0xe9:
    case 0xeb:
        return UC_INSN_JUMP;
    case 0xc2:
    case 0xc3:
    case 0xca:
    case 0xcb:
    case 0xcf:
        return UC_INSN_RETURN;
    case 0xcc:
    case 0xf4:
        return UC_INSN_TRAP;
    case 0xff:
        return kind_of_ff(r);
    default:
        return UC_INSN_PLAIN;
    }
}

int uc_insn_decode(const uint8_t *code, size_t room, struct uc_insn *insn)
{
    *insn = (struct uc_insn){.base = UC_INSN_NO_BASE, .index = UC_INSN_NO_BASE};
    struct reader r = {.code = code, .room = room, .insn = insn};
    int opcode = prefixes(&r);
    if (opcode < 0)
        return opcode;
    int e;
    if (opcode == 0x0f) {
        e = escaped(&r);
    } else if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) {
        e = vector(&r, opcode);
    } else {
        insn->opcode = (uint8_t)opcode;
        e = operands(&r, one_byte[opcode]);
        // A pop with a register number behind it is another vendor's instruction; xbegin branches.
        if ((opcode == 0x8f && (insn->reg & 7) != 0) || (opcode == 0xc7 && (insn->reg & 7) != 0))
            e = e < 0 ? e : -EILSEQ;
    }
    if (e < 0)
        return e;
    insn->length = (uint8_t)r.at;
    insn->width = r.rex & 8 ? 8 : r.narrow ? 2 : 4;
    if (insn->refers)
        insn->reference += insn->length;
    insn->kind = kind_of(&r);
    return 0;
}

static bool one_byte_writes(const struct uc_insn *i)
{
    unsigned o = i->opcode;
    unsigned group = i->reg & 7;
    if (o < 0x40) // add, or, adc, sbb, and, sub, xor; cmp does not write
        return (o & 7) < 2 && (o & 0x38) != 0x38;
    switch (o) {
    case 0x80:
    case 0x81:
    case 0x83:
        return group != 7;
    case 0xf6:
    case 0xf7:
        return group == 2 || group == 3;
    case 0xfe:
    case 0xff:
        return group < 2;
    case 0x86:
    case 0x87:
    case 0x88:
    case 0x89:
    case 0x8c:
    case 0x8f:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xc7:
        return true;
    default: // shifts; x87 stores are not told apart from loads
        return o >= 0xd0 && o <= 0xdf;
    }
}

bool uc_insn_writes_memory(const struct uc_insn *i)
{
    unsigned o = i->opcode;
    bool string = o == 0xa4 || o == 0xa5 || o == 0xaa || o == 0xab || o == 0x6c || o == 0x6d;
    if (i->map == UC_INSN_ONE_BYTE && (string || o == 0xa2 || o == 0xa3))
        return true;
    if (!i->memory)
        return false;
    if (i->map == UC_INSN_ONE_BYTE)
        return one_byte_writes(i);
    // Of the rest, the moves and tests of general registers that are known not to.
    bool reads = (o & 0xf0) == 0x40 || o == 0xaf || o == 0xb6 || o == 0xb7 || o == 0xbe ||
                 o == 0xbf || o == 0xa3 || (o >= 0x18 && o <= 0x1f) || o == 0x0d ||
                 (o == 0xba && (i->reg & 7) == 4);
    return i->map != UC_INSN_0F || !reads;
}

bool uc_insn_is_endbr(const uint8_t *code, size_t room)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    return room >= sizeof endbr64 && memcmp(code, endbr64, sizeof endbr64) == 0;
}
