#include "games/registry.hpp"

#include "games/amazons.hpp"
#include "games/breakthrough.hpp"
#include "games/cannon.hpp"
#include "games/checkers.hpp"
#include "games/chinese_checkers.hpp"
#include "games/pentalath.hpp"
