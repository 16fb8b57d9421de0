// As much of the Arduino library as the board of docs/open-board.md uses. Standard input says what happens:
// "+e4" a man comes to stand, "-e2" one leaves, "~e2" his contact flutters, "> TEXT" a line of the host,
// ". N" N milliseconds pass, "? e4" asks whether the lamp burns.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iostream>
#include <string>

typedef uint8_t byte;
enum { LOW, HIGH, INPUT, OUTPUT };

static bool standing[64], fluttering[64], burning[64];
static bool driven[80], lamp_pin[80];
static unsigned long now_us = 0;
static std::deque<char> incoming;

struct {
  void begin(long) {}
  int available() { return incoming.size(); }
  int read() { char c = incoming.front(); incoming.pop_front(); return c; }
  void print(const char *text) { std::fputs(text, stdout); }
  void println(const char *text) { std::printf("%s\r\n", text); }
  void println(char c) { std::printf("%c\r\n", c); }
  void write(char c) { std::putchar(c); }
} Serial;

static int rank_driven() { for (int i = 0; i < 8; i++) if (driven[22 + i]) return i; return -1; }
void pinMode(int, int) {}
void digitalWrite(int pin, int level) {
  if (pin >= 22 && pin < 30 && level == LOW && driven[pin])
    for (int file = 0; file < 8; file++) burning[8 * (pin - 22) + file] = !lamp_pin[38 + file];
  driven[pin] = pin < 30 && level == HIGH;
  lamp_pin[pin] = pin >= 38 && level == HIGH;
}
int digitalRead(int pin) {
  int square = 8 * rank_driven() + pin - 30;
  if (square < 0) return LOW;
  return standing[square] != (fluttering[square] && now_us / 10000 % 2) ? HIGH : LOW;
}
void delayMicroseconds(int us) { now_us += us; }
void delay(int ms) { now_us += 1000ul * ms; }
unsigned long millis() { return now_us / 1000; }

void setup();
void loop();
void obey();
void sendBoard();
void sendSquare(int square);
void scan(bool believe, bool tell);

int main() {
  for (int square = 0; square < 64; square++) standing[square] = square < 16 || square >= 48;
  setup();
  std::string step;
  while (std::getline(std::cin, step)) {
    int square = 8 * (step[step.size() - 1] - '1') + step[step.size() - 2] - 'a';
    switch (step[0]) {
      case '+': standing[square] = true; fluttering[square] = false; break;
      case '-': standing[square] = false; fluttering[square] = false; break;
      case '~': fluttering[square] = true; break;
      case '>': incoming.insert(incoming.end(), step.begin() + 2, step.end()); incoming.push_back('\n'); break;
      case '?': std::printf("note %s %s\n", step.c_str() + 2, burning[square] ? "burns" : "is dark"); break;
      case '.': for (unsigned long end = millis() + std::stoul(step.substr(2)); millis() < end;) loop(); break;
    }
  }
}
