package progress

import (
	"encoding/binary"
	"unicode/utf16"
)

// utf16Order tells a file that a Windows shell wrote as UTF-16, by its byte
// order mark; nil for every other file.
func utf16Order(file []byte) binary.AppendByteOrder {
	switch {
	case len(file) < 2 || len(file)%2 != 0:
		return nil
	case file[0] == 0xFF && file[1] == 0xFE:
		return binary.LittleEndian
	case file[0] == 0xFE && file[1] == 0xFF:
		return binary.BigEndian
	}
	return nil
}

func toUTF16(text string, order binary.AppendByteOrder) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// fromUTF16 is the text of a file with such a mark, and any other file as it is.
func fromUTF16(file []byte) []byte {
	if utf16Order(file) == nil {
		return file
	}
	var order binary.ByteOrder = binary.BigEndian
	if file[0] == 0xFF {
		order = binary.LittleEndian
	}
	units := make([]uint16, 0, len(file)/2)
	for at := 2; at < len(file); at += 2 {
		units = append(units, order.Uint16(file[at:]))
	}
	return []byte(string(utf16.Decode(units)))
}
